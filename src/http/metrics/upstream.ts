import { Counter, type Registry } from "prom-client";
import type { Clock } from "../../lib/clock.ts";
import { addStoreGauge } from "./state.ts";

export function addUpstreamMetrics(
  registry: Registry,
  postReads: () => Promise<number>,
  clock: Pick<Clock, "elapsed">,
) {
  addStoreGauge(
    registry,
    {
      name: "earshot_upstream_post_reads_month",
      help: "Posts that the deployment's credentials of X have read in the calendar month, with those that are about to be read",
      value: postReads,
    },
    clock,
  );
  return {
    upstreamRequests: new Counter({
      name: "earshot_upstream_requests_total",
      help: "Requests to platforms, by how they ended",
      labelNames: ["platform", "outcome"],
      registers: [registry],
    }),
  };
}
