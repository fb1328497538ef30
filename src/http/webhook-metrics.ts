import { Counter, Gauge, type Registry } from "prom-client";

/** Adds what `/metrics` tells of webhooks. `waiting` asks the store how many deliveries have not ended. */
export function addWebhookMetrics(registry: Registry, waiting: () => Promise<number>) {
  const registers = [registry];
  new Gauge({
    name: "earshot_webhook_deliveries_waiting",
    help: "Deliveries to webhooks that have not ended",
    registers,
    async collect() {
      // A store that does not answer is no reason to tell nothing else.
      const count = await waiting().catch(() => null);
      if (count !== null) this.set(count);
    },
  });
  return {
    webhookDeliveries: new Counter({
      name: "earshot_webhook_deliveries_total",
      help: "Tries to deliver to a webhook, by how they ended, and deliveries that were dropped",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
