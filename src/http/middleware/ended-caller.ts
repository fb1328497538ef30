import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../context.ts";
import { hasUnsafeMethod } from "../dashboard/request-origin.ts";
import { problem, problemText } from "../problems/write-problem.ts";
import type { CallerWatch } from "./caller-watch.ts";
import { isDashboardAccess } from "./session.ts";

/** Maximum age of the last check. */
const maxAgeMs = 50;
/** Longer bodies are cut off if the caller ends meanwhile. */
const longBodyBytes = 65_536;

/** Header fields that reveal nothing of the withheld answer. */
const safeFields = ["x-request-id", "connection", "cache-control", "x-content-type-options"];

/** The key or session may end while the body or the rate-limit slot is awaited. */
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
      return problemText(callerEnded(), request, reply);
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
  const { caller, admittedMs } = request;
  const { access } = request.routeOptions.config;
  if (caller === null || access === undefined || isDashboardAccess(access)) return false;
  const nowMs = clock.elapsed();
  if (nowMs - admittedMs <= maxAgeMs) return false;
  if (!(await isValid(caller))) return true;
  request.admittedMs = nowMs;
  return false;
}

/** A dashboard change may end keys or sessions: end their pending requests before answering. */
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
