import type { SessionRow } from "../../../accounts/sessions/operations.ts";
import { isoTime } from "../../../lib/iso-time.ts";
import type { HttpContext } from "../../context.ts";
import type { SessionListing, SessionsResponse } from "../../dashboard/contract/account.ts";
import { requireSession } from "../../middleware/session.ts";
import { problem } from "../../problems/write-problem.ts";
import { sessionPath } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

const hiddenSchema = { hide: true };
const config = { access: "session" as const };

export function addSessionListRoutes(
  app: TypedApp,
  { accounts, clock, dashboard }: Pick<HttpContext, "accounts" | "clock" | "dashboard">,
): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/sessions",
    config,
    schema: hiddenSchema,
    handler: async (request): Promise<SessionsResponse> => {
      const { id, accountId } = requireSession(request);
      const { idleMs } = dashboard.sessions;
      const rows = await accounts.read("listSessions", { accountId, idleMs, nowMs: clock.now() });
      return { sessions: rows.map((row) => rowListing(row, id, idleMs)) };
    },
  });

  app.route({
    method: "DELETE",
    url: "/dashboard/api/sessions/:id",
    config,
    schema: { ...hiddenSchema, params: sessionPath },
    handler: async (request, reply) => {
      const { id: ownId, accountId } = requireSession(request);
      const { id: sessionId } = request.params;
      const isEnded = await accounts.write("endSession", {
        accountId,
        sessionId,
        action: "session_ended",
        nowMs: clock.now(),
      });
      if (!isEnded) throw problem("session_not_found", "session not found");
      if (sessionId === ownId) dashboard.cookies.clearSession(reply);
      return reply.code(204).send();
    },
  });
}

function rowListing(row: SessionRow, ownId: string, idleMs: number): SessionListing {
  const { id, method, agent, addressGroup, createdMs, usedMs, expiresMs } = row;
  return {
    id,
    is_this: id === ownId,
    method,
    agent,
    address_group: addressGroup,
    created_at: isoTime(createdMs),
    used_at: isoTime(usedMs),
    expires_at: isoTime(Math.min(expiresMs, usedMs + idleMs)),
  };
}
