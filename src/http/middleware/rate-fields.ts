import type { FastifyReply, FastifyRequest } from "fastify";
import type { LimitState } from "../../accounts/limiter.ts";
import { rateLimitFields } from "../../accounts/rate-limit-fields.ts";
import type { HttpContext } from "../context.ts";

/** Older limits are read again. */
const maxAgeMs = 50;

export function rateFieldsHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { countedSearch } = request;
    if (countedSearch !== null) request.limits = (await countedSearch.refund()) ?? request.limits;
    const limits = await newestLimits(context, request);
    if (limits !== null) reply.headers(rateLimitFields(limits.policies));
  };
}

async function newestLimits(
  { clock, limiter }: HttpContext,
  { caller, limits }: FastifyRequest,
): Promise<LimitState | null> {
  if (caller === null || limits === null) return null;
  if (clock.elapsed() - limits.asOfMs <= maxAgeMs) return limits;
  // A failing store must not fail the request.
  return await limiter.state(caller).catch(() => limits);
}
