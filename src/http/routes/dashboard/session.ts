import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerSession } from "../../../accounts/sessions/find-session.ts";
import { nextToken } from "../../../accounts/sessions/session-token.ts";
import { SignInRefused } from "../../../accounts/sign-in/refusal.ts";
import type { HttpContext } from "../../context.ts";
import { clientOrigin, readClientInfo } from "../../dashboard/client-info.ts";
import type { SessionResponse } from "../../dashboard/contract/session.ts";
import { makeSessionResponse } from "../../dashboard/session-response.ts";
import type { SignInLimit } from "../../dashboard/sign-in-limit.ts";
import { requireSession } from "../../middleware/session.ts";
import { problem } from "../../problems/write-problem.ts";
import { linkSignIn } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

const hiddenSchema = { hide: true };
const visitorConfig = { access: "visitor" as const };
const sessionConfig = { access: "session" as const };

export function addSessionRoutes(app: TypedApp, context: HttpContext, slots: SignInLimit): void {
  const { accounts, clock, dashboard, metrics } = context;
  const { cookies, sessions, signIn } = dashboard;

  app.route({
    method: "GET",
    url: "/dashboard/api/session",
    config: visitorConfig,
    schema: hiddenSchema,
    handler: async (request, reply): Promise<SessionResponse> => {
      const { session } = request;
      if (session === null) clearStaleCookie(request, reply);
      else if (isRotationDue(session)) rotate(request, reply, session);
      return await makeSessionResponse(context, request, session);
    },
  });

  app.route({
    method: "POST",
    url: "/dashboard/api/sign-in",
    config: visitorConfig,
    schema: { ...hiddenSchema, body: linkSignIn },
    handler: async (request, reply): Promise<SessionResponse> => {
      slots.take(request, reply);
      const completedSignIn = await signIn
        .finishLink(request.body.token, readClientInfo(request, cookies))
        .catch((error: unknown) => {
          if (error instanceof SignInRefused) {
            metrics.signIns.inc({ outcome: error.code });
            throw accountSuspended();
          }
          throw error;
        });
      if (completedSignIn === null) {
        metrics.signIns.inc({ outcome: "link_invalid" });
        throw linkInvalid();
      }
      metrics.signIns.inc({ outcome: "signed_in" });
      const { accountId, session } = completedSignIn;
      cookies.setSession(reply, session.token, sessions.maxAgeMs);
      return await makeSessionResponse(context, request, { id: session.id, accountId });
    },
  });

  app.route({
    method: "POST",
    url: "/dashboard/api/sign-out",
    config: sessionConfig,
    schema: hiddenSchema,
    handler: async (request, reply) => {
      const { id: sessionId, accountId } = requireSession(request);
      const nowMs = clock.now();
      await accounts.write("endSession", { sessionId, accountId, action: "signed_out", nowMs });
      cookies.clearSession(reply);
      return reply.code(204).send();
    },
  });

  app.route({
    method: "POST",
    url: "/dashboard/api/sign-out-everywhere",
    config: sessionConfig,
    schema: hiddenSchema,
    handler: async (request, reply) => {
      const { accountId } = requireSession(request);
      await accounts.write("endSessions", { accountId, nowMs: clock.now() });
      cookies.clearSession(reply);
      return reply.code(204).send();
    },
  });

  /** Only this route does: other requests may carry an older cookie than the browser now has. */
  function clearStaleCookie(request: FastifyRequest, reply: FastifyReply): void {
    if (cookies.session(request) !== null) cookies.clearSession(reply);
  }

  function isRotationDue({ isTokenCurrent, rotatedMs }: CallerSession): boolean {
    return isTokenCurrent && rotatedMs + sessions.rotationMs <= clock.now();
  }

  /** Sets only the cookie; the store records the new token at its first use. */
  function rotate(request: FastifyRequest, reply: FastifyReply, session: CallerSession): void {
    const token = cookies.session(request);
    if (token === null) return;
    const newToken = nextToken(token, clientOrigin(request));
    cookies.setSession(reply, newToken, session.expiresMs - clock.now());
  }
}

function linkInvalid() {
  return problem(
    "sign_in_link_invalid",
    "the sign-in link has already been used, has expired or is incomplete",
    {
      hint: "run `earshot sign-in` to create another",
    },
  );
}

function accountSuspended() {
  return problem("account_suspended", "the account is suspended", {
    hint: "contact the operator of this server",
  });
}
