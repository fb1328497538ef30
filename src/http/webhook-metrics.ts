import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";

/** The store counts every waiting delivery, which is not done for each look. */
const countFreshMs = 10_000;

/**
 * Adds what `/metrics` tells of webhooks. `waiting` asks the store how many deliveries have not ended, once in ten seconds at
 * most.
 */
export function addWebhookMetrics(
  registry: Registry,
  waiting: () => Promise<number>,
  clock: Pick<Clock, "elapsed">,
) {
  const registers = [registry];
  let countedMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: "earshot_webhook_deliveries_waiting",
    help: "Deliveries to webhooks that have not ended",
    registers,
    async collect() {
      const askedMs = clock.elapsed();
      if (askedMs - countedMs < countFreshMs) return;
      // A store that does not answer is no reason to tell nothing else.
      const count = await waiting().catch(() => null);
      if (count === null) return;
      this.set(count);
      countedMs = askedMs;
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
