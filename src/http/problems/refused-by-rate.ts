import type { FastifyReply } from "fastify";
import type { HttpContext } from "../context.ts";
import { problem } from "./write-problem.ts";

/** `held`: pending requests. */
const exhausted = {
  burst: "requests a second",
  search: "searches a minute",
  held: "waiting requests",
} as const;

type Refusal = { policy: keyof typeof exhausted; retryAfterMs: number };

export function refusedByRate(
  { metrics }: Pick<HttpContext, "metrics">,
  reply: FastifyReply,
  refusal: Refusal,
) {
  metrics.rateLimited.inc({ policy: refusal.policy });
  return rateRefusal(reply, refusal);
}

function rateRefusal(reply: FastifyReply, { policy, retryAfterMs }: Refusal) {
  const seconds = setRetryAfter(reply, retryAfterMs);
  return problem("rate_limited", `the key's ${exhausted[policy]} are used up`, {
    hint:
      policy === "held"
        ? "come again when one of them has been answered"
        : `come again in ${seconds} s; RateLimit tells what is left`,
  });
}

/** Returns whole seconds, at least one. */
export function setRetryAfter(reply: FastifyReply, retryAfterMs: number): number {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  reply.header("retry-after", String(seconds));
  return seconds;
}
