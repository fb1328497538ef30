import type { FastifyReply, FastifyRequest } from "fastify";
import type { LimitState } from "../../accounts/limiter.ts";
import { rateLimitFields } from "../../accounts/rate-limit-fields.ts";
import type { HttpContext } from "../context.ts";

/** What was left so long ago is told as it is; after a longer time, as of a held request, the store is asked again. */
const freshMs = 50;

/** Every answer to a key tells what is left of its rates. */
export function rateFieldsHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const limits = await newestLimits(context, request);
    if (limits !== null) reply.headers(rateLimitFields(limits.policies));
  };
}

async function newestLimits(
  { clock, limiter }: HttpContext,
  { caller, limits }: FastifyRequest,
): Promise<LimitState | null> {
  if (caller === null || limits === null) return null;
  if (clock.elapsed() - limits.asOfMs <= freshMs) return limits;
  // A store that does not answer any more is no reason to lose the answer.
  return await limiter.state(caller).catch(() => limits);
}
