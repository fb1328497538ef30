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
      help: "Posts read with the deployment's X credentials in the calendar month, including reservations",
      value: postReads,
    },
    clock,
  );
  return {
    upstreamRequests: new Counter({
      name: "earshot_upstream_requests_total",
      help: "Requests to platforms, by outcome",
      labelNames: ["platform", "outcome"],
      registers: [registry],
    }),
  };
}
