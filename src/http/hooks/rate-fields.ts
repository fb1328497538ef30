import type { FastifyReply, FastifyRequest } from "fastify";
import { rateLimitFields } from "../../accounts/rate-limit-fields.ts";
import type { HttpContext } from "../context.ts";

/** Every answer to a key tells what is left of its rates. */
export function rateFieldsHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.caller === null) return;
    reply.headers(rateLimitFields(context.limiter.state(request.caller)));
  };
}
