import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { HttpContext } from "../context.ts";
import { refusedByRate } from "../problems/refused-by-rate.ts";

export type SearchPermit = {
  /** Returns an unused search. */
  giveBack(): Promise<void>;
};

/** Errors: `rate_limited`, those of the store. */
export async function takeSearch(
  context: Pick<HttpContext, "limiter" | "metrics">,
  caller: Caller,
  reply: FastifyReply,
): Promise<SearchPermit> {
  const { request } = reply;
  const decision = request.countedSearch ?? (await context.limiter.takeSubmission(caller));
  request.countedSearch = null;
  request.limits = decision.limits;
  if (!decision.allowed) throw refusedByRate(context, reply, decision);
  return {
    giveBack: async () => {
      request.limits = (await decision.giveBack()) ?? request.limits;
    },
  };
}
