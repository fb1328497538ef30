import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AttemptContext } from "./attempt.ts";
import type { WebhookOperations } from "./operations.ts";
import type { WebhookSettings } from "./settings.ts";

export type DeliveryRetentionContext = {
  store: Pick<Store<WebhookOperations>, "write">;
  clock: Clock;
  settings: Pick<WebhookSettings, "retentionMs" | "maxDeliveries">;
  onError: AttemptContext["onError"];
  isLeader?: () => boolean;
  onDropped: (deliveries: number) => void;
};

const sweepIntervalMs = 60_000;

/** Runs every minute until the signal aborts. Never rejects. */
export async function enforceDeliveryRetention(
  context: DeliveryRetentionContext,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, onError } = context;
  while (!stopping.aborted) {
    if (context.isLeader?.() !== false) {
      await sweep(context, stopping).catch((error: unknown) => {
        onError(error, "failed to delete old webhook deliveries");
      });
    }
    await clock.sleep(sweepIntervalMs, stopping).catch(() => undefined);
  }
}

async function sweep(context: DeliveryRetentionContext, stopping: AbortSignal): Promise<void> {
  const { store, clock, settings, onDropped } = context;
  const { retentionMs, maxDeliveries } = settings;
  for (let hasMore = true; hasMore && !stopping.aborted; ) {
    const limits = { nowMs: clock.now(), retentionMs, maxDeliveries };
    const batch = await store.write("sweepDeliveries", limits);
    if (batch.droppedCount > 0) onDropped(batch.droppedCount);
    hasMore = batch.hasMore;
  }
}
