import type { FastifyReply, FastifyRequest } from "fastify";
import { createFailedKeys } from "../../accounts/client-addresses.ts";
import type { HttpContext } from "../context.ts";
import { setRetryAfter } from "../problems/rate-limited.ts";
import { problem } from "../problems/write-problem.ts";

/** Limits sign-ins per address, so that no client can fill the store or guess links. */
export type SignInLimit = {
  /** Errors: `too_many_sign_ins`. */
  take(request: FastifyRequest, reply: FastifyReply): void;
};

export function createSignInLimit({
  clock,
  dashboard,
}: Pick<HttpContext, "clock" | "dashboard">): SignInLimit {
  const { attemptsPerMinute } = dashboard.signInLimits;
  const attempts = createFailedKeys();

  return {
    take: (request, reply) => {
      const nowMs = clock.elapsed();
      const blockedMs = attempts.blockedMs(request.callerAddress, attemptsPerMinute, nowMs);
      if (blockedMs > 0) {
        const seconds = setRetryAfter(reply, blockedMs);
        throw problem("too_many_sign_ins", "too many sign-ins from this address", {
          hint: `retry in ${seconds} s`,
        });
      }
      attempts.record(request.callerAddress, request.id, attemptsPerMinute, nowMs);
    },
  };
}
