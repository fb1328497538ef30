import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerSession } from "../../../accounts/sessions/find-session.ts";
import { hashOfSecret, printSessionToken } from "../../../accounts/sessions/session-token.ts";
import { SignInRefused } from "../../../accounts/sign-in/refusal.ts";
import type { HttpContext } from "../../context.ts";
import { arrivalOf } from "../../dashboard/arrival.ts";
import type { SessionAnswer } from "../../dashboard/contract.ts";
import { sessionAnswer } from "../../dashboard/session-answer.ts";
import type { SignInTurns } from "../../dashboard/sign-in-turns.ts";
import { sessionOf } from "../../hooks/session.ts";
import { problem } from "../../problem-writer.ts";
import { linkSignIn } from "../../schemas/sessions.ts";
import type { TypedApp } from "../typed-app.ts";

const hide = { hide: true };
const visitor = { pace: "visitor" as const };
const signedIn = { pace: "session" as const };

/** /dashboard/api/session, sign-in, sign-out and sign-out-everywhere: the session of the browser that asks. */
export function addSessionRoutes(app: TypedApp, context: HttpContext, turns: SignInTurns): void {
  const { accounts, clock, dashboard } = context;
  const { cookies, sessions, signIn } = dashboard;

  app.route({
    method: "GET",
    url: "/dashboard/api/session",
    config: visitor,
    schema: hide,
    handler: async (request, reply): Promise<SessionAnswer> => {
      const { session } = request;
      if (session !== null && mayRotate(session)) await rotate(request, reply);
      return await sessionAnswer(context, request, session);
    },
  });

  app.route({
    method: "POST",
    url: "/dashboard/api/sign-in",
    config: visitor,
    schema: { ...hide, body: linkSignIn },
    handler: async (request, reply): Promise<SessionAnswer> => {
      turns.take(request, reply);
      const entered = await signIn
        .finishLink(request.body.token, arrivalOf(request, cookies))
        .catch((fault: unknown) => {
          if (fault instanceof SignInRefused) throw suspended();
          throw fault;
        });
      if (entered === null) throw linkInvalid();
      const { accountId, session } = entered;
      cookies.setSession(reply, session.token, sessions.maxAgeMs);
      return await sessionAnswer(context, request, { id: session.id, accountId });
    },
  });

  app.route({
    method: "POST",
    url: "/dashboard/api/sign-out",
    config: signedIn,
    schema: hide,
    handler: async (request, reply) => {
      const { id: sessionId, accountId } = sessionOf(request);
      const nowMs = clock.now();
      await accounts.write("endSession", { sessionId, accountId, action: "signed_out", nowMs });
      cookies.clearSession(reply);
      return reply.code(204).send();
    },
  });

  app.route({
    method: "POST",
    url: "/dashboard/api/sign-out-everywhere",
    config: signedIn,
    schema: hide,
    handler: async (request, reply) => {
      const { accountId } = sessionOf(request);
      await accounts.write("endSessions", { accountId, nowMs: clock.now() });
      cookies.clearSession(reply);
      return reply.code(204).send();
    },
  });

  /** The store decides; asked only when it may say yes, since it then has to write. */
  function mayRotate({ rotatedMs, bringsFormer }: CallerSession): boolean {
    const { rotationMs, formerMs } = sessions;
    return rotatedMs + (bringsFormer ? formerMs : rotationMs) <= clock.now();
  }

  async function rotate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = cookies.session(request);
    if (token === null) return;
    const { id, secret } = token;
    const { rotationMs, formerMs } = sessions;
    const nowMs = clock.now();
    const asked = { sessionId: id, secretHash: hashOfSecret(secret), rotationMs, formerMs, nowMs };
    const rotated = await accounts.write("rotateSession", asked);
    if (rotated === null) return;
    const renewed = printSessionToken({ id, secret: rotated.secret });
    cookies.setSession(reply, renewed, rotated.expiresMs - nowMs);
  }
}

function linkInvalid() {
  return problem("sign_in_link_invalid", "the link was used, is too old, or is not whole", {
    hint: "earshot sign-in makes another",
  });
}

function suspended() {
  return problem("account_suspended", "the account is suspended", {
    hint: "ask an operator of this server",
  });
}
