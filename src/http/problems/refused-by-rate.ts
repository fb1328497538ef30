import type { FastifyReply } from "fastify";
import type { HttpContext } from "../context.ts";
import { problem } from "./write-problem.ts";

/** What a key can run out of; `held`: requests that wait for the end of a job. */
const exhausted = {
  burst: "requests a second",
  search: "searches a minute",
  held: "waiting requests",
} as const;

type Refusal = { policy: keyof typeof exhausted; retryAfterMs: number };

/** Tells the caller when to come again, and counts the refusal. */
export function refusedByRate(
  { metrics }: Pick<HttpContext, "metrics">,
  reply: FastifyReply,
  refusal: Refusal,
) {
  metrics.rateLimited.inc({ policy: refusal.policy });
  return rateRefusal(reply, refusal);
}

/** Tells the caller when to come again. */
export function rateRefusal(reply: FastifyReply, { policy, retryAfterMs }: Refusal) {
  const seconds = setRetryAfter(reply, retryAfterMs);
  return problem("rate_limited", `the key's ${exhausted[policy]} are used up`, {
    hint:
      policy === "held"
        ? "come again when one of them has been answered"
        : `come again in ${seconds} s; RateLimit tells what is left`,
  });
}

/** `Retry-After` in whole seconds, at least one; the seconds. */
export function setRetryAfter(reply: FastifyReply, retryAfterMs: number): number {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  reply.header("retry-after", String(seconds));
  return seconds;
}
