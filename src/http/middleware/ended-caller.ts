import { finished, Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../context.ts";
import { isChanging } from "../dashboard/request-origin.ts";
import { problem, problemText } from "../problems/write-problem.ts";
import type { CallerWatch } from "./caller-watch.ts";
import { isDashboardPace } from "./session.ts";

/** A request that is answered so soon after its key was looked at is not checked again. */
const freshMs = 50;
/** A longer body may leave slowly: it is cut off when its caller ends meanwhile. */
const longBodyBytes = 65_536;

/** Fields that say nothing about the answer that is withheld. */
const keptFields = ["x-request-id", "connection", "cache-control", "x-content-type-options"];

/** Refuses a request whose body, or whose turn, took a while to come, when its caller ended in that time. */
export function refuseEndedCaller(context: CheckContext, callers: Pick<CallerWatch, "isValid">) {
  return async (request: FastifyRequest): Promise<void> => {
    if (await hasEnded(context, callers, request)) throw callerEnded();
  };
}

/**
 * Replaces the answer of a request that took a while by 401 when its key, session or account has ended since: a request that was
 * open then brings nothing more.
 */
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
        if (!keptFields.includes(name)) reply.removeHeader(name);
      }
      request.limits = null;
      context.metrics.problems.inc({ code: "unauthorized" });
      return problemText(callerEnded(), request, reply);
    }
    const isText = typeof payload === "string" || Buffer.isBuffer(payload);
    if (caller !== null && isText && payload.length > longBodyBytes) {
      const unwatch = callers.watch(caller, () => reply.raw.destroy());
      finished(reply.raw, unwatch);
    }
    return payload;
  };
}

type CheckContext = Pick<HttpContext, "clock">;

/** Requests of the dashboard are left out: they may end their own session. */
async function hasEnded(
  { clock }: CheckContext,
  { isValid }: Pick<CallerWatch, "isValid">,
  request: FastifyRequest,
): Promise<boolean> {
  const { caller, admittedMs } = request;
  const { pace } = request.routeOptions.config;
  if (caller === null || pace === undefined || isDashboardPace(pace)) return false;
  const nowMs = clock.elapsed();
  if (nowMs - admittedMs <= freshMs) return false;
  if (!(await isValid(caller))) return true;
  request.admittedMs = nowMs;
  return false;
}

/** What a request of the dashboard changes may end callers: their open requests end before it is answered. */
export function lookAfterChange({ look }: Pick<CallerWatch, "look">) {
  return async (request: FastifyRequest): Promise<void> => {
    const { pace } = request.routeOptions.config;
    if (pace !== undefined && isDashboardPace(pace) && isChanging(request)) await look();
  };
}

function callerEnded() {
  return problem("unauthorized", "the API key or session ended while the request was open", {
    hint: "send the request again with a valid key: Authorization: Bearer <API_KEY>",
  });
}
