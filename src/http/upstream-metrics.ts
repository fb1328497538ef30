import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";

/** The store adds up what was spent, which is not done for each look. */
const readFreshMs = 10_000;

/**
 * Adds what `/metrics` tells of requests to platforms. `postReads` asks the store what the deployment's credentials of X have
 * read in the month, once in ten seconds at most.
 */
export function addUpstreamMetrics(
  registry: Registry,
  postReads: () => Promise<number>,
  clock: Pick<Clock, "elapsed">,
) {
  const registers = [registry];
  let readMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: "earshot_upstream_post_reads_month",
    help: "Posts that the deployment's credentials of X have read in the calendar month, with those that are about to be read",
    registers,
    async collect() {
      const askedMs = clock.elapsed();
      if (askedMs - readMs < readFreshMs) return;
      // A store that does not answer is no reason to tell nothing else.
      const reads = await postReads().catch(() => null);
      if (reads === null) return;
      this.set(reads);
      readMs = askedMs;
    },
  });
  return {
    upstreamRequests: new Counter({
      name: "earshot_upstream_requests_total",
      help: "Requests to platforms, by how they ended",
      labelNames: ["platform", "outcome"],
      registers,
    }),
  };
}
