import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerSession, SessionNote } from "../../accounts/sessions/find-session.ts";
import type { PresentedToken } from "../../accounts/sessions/session-token.ts";
import type { HttpContext } from "../context.ts";
import { noStoreCacheControl } from "../dashboard/headers.ts";
import { forbiddenOrigin, hasUnsafeMethod, requireOwnOrigin } from "../dashboard/request-origin.ts";
import { problem } from "../problems/write-problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null for anonymous requests and those with a key. */
    session: CallerSession | null;
  }
}

/** `visitor` means everyone. */
export type DashboardAccess = "session" | "operator" | "visitor";

export function isDashboardAccess(access: string): access is DashboardAccess {
  return access === "session" || access === "operator" || access === "visitor";
}

type AdmittedSession = Extract<
  Awaited<ReturnType<HttpContext["limiter"]["admitSession"]>>,
  { session: CallerSession }
>;

/**
 * Null if the route needs no session and the request has none. Rejects cross-site requests before
 * querying the store. Errors: `forbidden_origin`, `session_needed`, `not_found`.
 */
export function sessionAdmission(context: HttpContext) {
  const { limiter, settings, dashboard, clock } = context;
  const { cookies, csrf } = dashboard;

  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    readOf: string | null,
  ): Promise<AdmittedSession | null> {
    const { access = "call", isSubmission = false } = request.routeOptions.config;
    const requiredAccess = isDashboardAccess(access) ? access : null;
    const hasKey = request.headers.authorization !== undefined;
    const token = hasKey ? null : cookies.session(request);
    if (token !== null || (requiredAccess === "visitor" && hasUnsafeMethod(request))) {
      requireOwnOrigin(request, settings.publicUrl);
    }
    if (token === null) {
      if (requiredAccess === "session" || requiredAccess === "operator")
        throw sessionNeeded(hasKey);
      return null;
    }
    if (requiredAccess !== "visitor" && hasUnsafeMethod(request)) requireCsrfToken(request, token);
    const { id: sessionId, generation, clientHash } = token;
    const { idleMs } = dashboard.sessions;
    reply.header("cache-control", noStoreCacheControl);
    const admission = await limiter.admitSession({
      sessionId,
      generation,
      clientHash,
      idleMs,
      readOf,
      maxWaitMs: settings.maxReadWaitMs,
      isSubmission,
    });
    if (admission.kind === "none" || admission.kind === "stolen") {
      if (admission.kind === "stolen") await endStolen(sessionId);
      if (requiredAccess === "visitor") return null;
      throw sessionNeeded(false);
    }
    if (requiredAccess === "operator" && admission.session.role !== "operator") throw noSuchPath();
    request.session = admission.session;
    recordUse(token, admission.note);
    return admission;
  }

  function requireCsrfToken(request: FastifyRequest, { id }: PresentedToken): void {
    const csrfToken = request.headers["x-earshot-csrf"];
    if (typeof csrfToken === "string" && csrf.isValid(id, csrfToken)) return;
    throw forbiddenOrigin("X-Earshot-Csrf must be the session's token");
  }

  async function endStolen(sessionId: string): Promise<void> {
    await context.accounts.write("endStolenSession", { sessionId, nowMs: clock.now() });
    context.log.warn("ended a session because a replaced token was used again");
  }

  /** Not awaited: the next request repeats a lost note. */
  function recordUse(
    { id: sessionId, generation, clientHash }: PresentedToken,
    note: SessionNote,
  ): void {
    if (note === null) return;
    const nowMs = clock.now();
    const formerUntilMs = nowMs + dashboard.sessions.gracePeriodMs;
    const write =
      note === "first_use"
        ? context.accounts.write("advanceSession", {
            sessionId,
            generation,
            clientHash,
            formerUntilMs,
            nowMs,
          })
        : context.accounts.write("recordSessionUse", { sessionId, nowMs });
    write.catch(() => undefined);
  }

  return admit;
}

export function requireSession(request: FastifyRequest): CallerSession {
  if (request.session === null) throw problem("internal", "the route does not require a session");
  return request.session;
}

function sessionNeeded(hasKey: boolean) {
  return hasKey
    ? problem("session_needed", "this path is for the dashboard and does not accept API keys", {
        hint: "sign in at /dashboard; in programs, use /v1",
      })
    : problem("session_needed", "no session, or it has ended", {
        hint: "sign in at /dashboard/sign-in",
      });
}

function noSuchPath() {
  return problem("not_found", "path not found", { hint: "see GET /docs for all paths" });
}
