import type { FastifyRequest } from "fastify";
import type { CallerSession } from "../../accounts/sessions/find-session.ts";
import type { SignedInAccount } from "../../accounts/sessions/operations.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { HttpContext } from "../context.ts";
import type { SessionResponse, SignedInState } from "./contract/session.ts";
import { insecureEvidence } from "./node-status.ts";
import { baseUrl } from "./request-origin.ts";

type ResponseContext = Pick<HttpContext, "accounts" | "dashboard" | "nodes" | "settings">;

export async function makeSessionResponse(
  context: ResponseContext,
  request: FastifyRequest,
  session: Pick<CallerSession, "id" | "accountId"> | null,
): Promise<SessionResponse> {
  const { accounts, dashboard, nodes, settings } = context;
  const account =
    session === null
      ? null
      : await accounts.read("signedInAccount", { accountId: session.accountId });
  return {
    signed_in:
      session === null || account === null ? null : signedInState(context, session.id, account),
    providers: dashboard.signIn.providers,
    version: dashboard.version,
    base_url: baseUrl(request, settings.publicUrl),
    live_window_ms: settings.liveWindowMs,
    insecure_evidence: insecureEvidence(nodes),
  };
}

function signedInState(
  { dashboard, settings }: ResponseContext,
  sessionId: string,
  account: SignedInAccount,
): SignedInState {
  const { id, name, role, provider, createdMs, firstKeyMs } = account;
  return {
    account: {
      id,
      name,
      role,
      provider,
      created_at: isoTime(createdMs),
    },
    csrf: dashboard.csrf.tokenFor(sessionId),
    session_id: sessionId,
    first_key_due: firstKeyMs === null,
    limits: {
      requests_per_second: Math.min(
        settings.limits.dashboardRequestsPerSecond,
        account.requestsPerSecond ?? settings.limits.dashboardRequestsPerSecond,
      ),
      submissions_per_minute: account.submissionsPerMinute ?? settings.limits.submissionsPerMinute,
    },
  };
}
