import { Counter, type Registry } from "prom-client";
import type { Clock } from "../../lib/clock.ts";
import { addStoreGauge } from "./state.ts";

export function addWebhookMetrics(
  registry: Registry,
  waiting: () => Promise<number>,
  clock: Pick<Clock, "elapsed">,
) {
  addStoreGauge(
    registry,
    {
      name: "earshot_webhook_deliveries_waiting",
      help: "Deliveries to webhooks that have not ended",
      value: waiting,
    },
    clock,
  );
  return {
    webhookDeliveries: new Counter({
      name: "earshot_webhook_deliveries_total",
      help: "Tries to deliver to a webhook, by how they ended, and deliveries that were dropped",
      labelNames: ["outcome"],
      registers: [registry],
    }),
  };
}
