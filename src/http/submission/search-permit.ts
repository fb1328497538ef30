import type { FastifyReply } from "fastify";
import type { SubmissionDecision } from "../../accounts/limiter.ts";
import type { HttpContext } from "../context.ts";
import { requireCaller } from "../middleware/caller.ts";
import { rateLimitedProblem } from "../problems/refused-by-rate.ts";

export type SearchPermit = {
  /** Errors: `rate_limited`, those of the store. */
  take(): Promise<void>;
  refund(): Promise<void>;
};

export function createSearchPermit(
  context: Pick<HttpContext, "limiter" | "metrics">,
  reply: FastifyReply,
): SearchPermit {
  const { request } = reply;
  let decision: SubmissionDecision | null = null;
  return {
    take: async () => {
      decision =
        request.countedSearch ?? (await context.limiter.takeSubmission(requireCaller(request)));
      request.countedSearch = null;
      request.limits = decision.limits;
      if (!decision.allowed) throw rateLimitedProblem(context, reply, decision);
    },
    refund: async () => {
      request.limits = (await decision?.refund()) ?? request.limits;
    },
  };
}
