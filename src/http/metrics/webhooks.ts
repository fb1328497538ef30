import { Counter, type Registry } from "prom-client";
import type { Clock } from "../../lib/clock.ts";
import { addStoreGauge } from "./state.ts";

export function addWebhookMetrics(
  registry: Registry,
  countPending: () => Promise<number>,
  clock: Pick<Clock, "elapsed">,
) {
  addStoreGauge(
    registry,
    {
      name: "earshot_webhook_deliveries_waiting",
      help: "Pending webhook deliveries",
      value: countPending,
    },
    clock,
  );
  return {
    webhookDeliveries: new Counter({
      name: "earshot_webhook_deliveries_total",
      help: "Webhook delivery attempts, by outcome, and dropped deliveries",
      labelNames: ["outcome"],
      registers: [registry],
    }),
  };
}
