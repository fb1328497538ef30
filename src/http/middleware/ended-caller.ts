import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { SessionSettings } from "../../accounts/sessions/settings.ts";
import type { HttpContext } from "../context.ts";
import { hasUnsafeMethod } from "../dashboard/request-origin.ts";
import { problem, renderProblem } from "../problems/write-problem.ts";
import { isDashboardAccess } from "./session.ts";

/** Maximum age of the last check. */
const maxAgeMs = 50;
/** Longer bodies are cut off if the caller's key or session ends. */
const longBodyBytes = 65_536;

/** Header fields that reveal nothing about the withheld answer. */
const safeFields = ["x-request-id", "connection", "cache-control", "x-content-type-options"];

/** The key or session may end while the request waits for its body or the rate limit. */
export function refuseEndedCaller(context: CheckContext, callers: Pick<CallerWatch, "isValid">) {
  return async (request: FastifyRequest): Promise<void> => {
    if (await hasEnded(context, callers, request)) throw callerEnded();
  };
}

export function withholdFromEndedCaller(
  context: CheckContext & Pick<HttpContext, "metrics">,
  callers: Pick<CallerWatch, "watch" | "isValid">,
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<unknown> => {
    const { caller } = request;
    if (await hasEnded(context, callers, request)) {
      if (payload instanceof Readable) payload.destroy();
      for (const name of Object.keys(reply.getHeaders())) {
        if (!safeFields.includes(name)) reply.removeHeader(name);
      }
      request.limits = null;
      context.metrics.problems.inc({ code: "unauthorized" });
      return renderProblem(callerEnded(), request, reply);
    }
    const isText = typeof payload === "string" || Buffer.isBuffer(payload);
    if (caller !== null && isText && payload.length > longBodyBytes) {
      const unwatch = callers.watch(caller, () => reply.raw.destroy());
      reply.raw.once("close", unwatch);
    }
    return payload;
  };
}

type CheckContext = Pick<HttpContext, "clock">;

/** False for dashboard requests, which may end their own session. */
async function hasEnded(
  { clock }: CheckContext,
  { isValid }: Pick<CallerWatch, "isValid">,
  request: FastifyRequest,
): Promise<boolean> {
  const { caller, admittedAtMs } = request;
  const { access } = request.routeOptions.config;
  if (caller === null || access === undefined || isDashboardAccess(access)) return false;
  const nowMs = clock.elapsed();
  if (nowMs - admittedAtMs <= maxAgeMs) return false;
  if (!(await isValid(caller))) return true;
  request.admittedAtMs = nowMs;
  return false;
}

/** Dashboard changes may end keys or sessions, whose pending requests end before the answer. */
export function checkAfterChange({ check }: Pick<CallerWatch, "check">) {
  return async (request: FastifyRequest): Promise<void> => {
    const { access } = request.routeOptions.config;
    if (access !== undefined && isDashboardAccess(access) && hasUnsafeMethod(request))
      await check();
  };
}

function callerEnded() {
  return problem("unauthorized", "the API key or session ended during the request", {
    hint: "send the request again with a valid key: Authorization: Bearer <API_KEY>",
  });
}

export type CallerWatch = {
  watch(caller: Caller, end: () => void): () => void;
  /** Also true if the store does not respond. */
  isValid(caller: Caller): Promise<boolean>;
  check(): Promise<void>;
};

/** Changes by other processes, such as `earshot keys revoke`, take effect within this time. */
const checkIntervalMs = 1_000;

export function createCallerWatch(
  {
    accounts,
    clock,
    dashboard,
  }: Pick<HttpContext, "accounts" | "clock"> & {
    dashboard: { sessions: Pick<SessionSettings, "idleMs"> };
  },
  stopping: AbortSignal,
): CallerWatch {
  const watchedCallers = new Map<() => void, Caller>();
  let isChecking = false;

  async function findEnded(callers: readonly Caller[]): Promise<ReadonlySet<string>> {
    const { idleMs } = dashboard.sessions;
    const params = { callers, idleMs, nowMs: clock.now() };
    return new Set(await accounts.read("findEndedCallers", params).catch(() => []));
  }

  async function check(): Promise<void> {
    if (watchedCallers.size === 0) return;
    const callers = [
      ...new Map(
        [...watchedCallers.values()].map((caller) => [callerKey(caller), caller]),
      ).values(),
    ];
    const endedKeys = await findEnded(callers);
    for (const [end, caller] of [...watchedCallers]) if (endedKeys.has(callerKey(caller))) end();
  }

  /** One loop costs less than a timer per wait. */
  async function checkRepeatedly(): Promise<void> {
    isChecking = true;
    // Shutdown must not wait for the next check.
    while (watchedCallers.size > 0 && !stopping.aborted) {
      await clock.sleep(checkIntervalMs, stopping).catch(() => undefined);
      await check();
    }
    isChecking = false;
  }

  function watch(caller: Caller, end: () => void): () => void {
    watchedCallers.set(end, caller);
    if (!isChecking) void checkRepeatedly();
    return () => {
      watchedCallers.delete(end);
    };
  }

  return {
    watch,
    check,
    isValid: async (caller) => !(await findEnded([caller])).has(callerKey(caller)),
  };
}

const callerKey = ({ keyId, sessionId }: Caller): string => sessionId ?? keyId;
