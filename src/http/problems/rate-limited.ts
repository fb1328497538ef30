import type { FastifyReply } from "fastify";
import type { HttpContext } from "../context.ts";
import { problem } from "./write-problem.ts";

const limitNames = {
  burst: "limit of requests per second",
  search: "limit of searches per minute",
  waiting: "limit of pending requests",
} as const;

type Refusal = { policy: keyof typeof limitNames; retryAfterMs: number };

export function rateLimitedProblem(
  { metrics }: Pick<HttpContext, "metrics">,
  reply: FastifyReply,
  refusal: Refusal,
) {
  metrics.rateLimited.inc({ policy: refusal.policy });
  return rateRefusal(reply, refusal);
}

function rateRefusal(reply: FastifyReply, { policy, retryAfterMs }: Refusal) {
  const seconds = setRetryAfter(reply, retryAfterMs);
  return problem("rate_limited", `the key exceeded its ${limitNames[policy]}`, {
    hint:
      policy === "waiting"
        ? "retry when one of them has been answered"
        : `retry in ${seconds} s; watch RateLimit for what remains`,
  });
}

/** Returns whole seconds, at least one. */
export function setRetryAfter(reply: FastifyReply, retryAfterMs: number): number {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  reply.header("retry-after", String(seconds));
  return seconds;
}
