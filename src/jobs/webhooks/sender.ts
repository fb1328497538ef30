import type { Store } from "../../db/operations.ts";
import { type AttemptContext, attemptDelivery } from "./attempt.ts";
import type { DueDelivery } from "./due-deliveries.ts";
import type { WebhookOperations } from "./operations.ts";
import type { DeliveryAttempt } from "./record-attempt.ts";
import { enforceDeliveryRetention } from "./retention.ts";
import { decryptWebhookSecrets } from "./secrets.ts";

/**
 * Delivers at least once. Failing webhooks get at most half of the slots, so as not to delay
 * others, and at least one, to notice recovery; a single slot alternates.
 */
export type Sender = {
  start(): void;
  wake(): void;
  /** Waits briefly for running attempts, then aborts them; their deliveries stay due. */
  stop(): Promise<void>;
};

export type DeliveryOutcome = "delivered" | "retried" | "failed" | "dropped";

export type SenderContext = AttemptContext & {
  store: Store<WebhookOperations>;
  /** True in the one process that delivers. Default: true. */
  isLeader?: () => boolean;
  onOutcome?: (outcome: DeliveryOutcome, deliveries: number) => void;
};

const maxPerWebhook = 2;
const pollIntervalMs = 1_000;
const minPauseMs = 20;
const stopTimeoutMs = 2_000;

const outcomes = {
  delivered: "delivered",
  retry: "retried",
  failed: "failed",
  gone: "failed",
} as const satisfies Record<DeliveryAttempt["end"], DeliveryOutcome>;

const wakeReason = new Error("deliveries may be due");

type RunningAttempt = { delivery: DueDelivery; completion: Promise<void> };

export function createSender(context: SenderContext): Sender {
  const { store, clock, settings, encryptor, log, onError, onOutcome } = context;
  const stopping = new AbortController();
  const aborting = new AbortController();
  const inProgress = new Map<string, RunningAttempt>();
  const pausedUntilMs = new Map<string, number>();
  let watching: Promise<unknown> = Promise.resolve();
  let isWoken = false;
  let wasFailingLast = false;
  let sleepController = new AbortController();

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      await poll().catch((error: unknown) => {
        onError(error, "failed to read the due deliveries");
      });
      await pauseUntilWoken();
    }
  }

  async function pauseUntilWoken(): Promise<void> {
    await clock.sleep(minPauseMs, stopping.signal).catch(() => undefined);
    if (isWoken) return;
    sleepController = new AbortController();
    await clock.sleep(pollIntervalMs - minPauseMs, sleepController.signal).catch(() => undefined);
  }

  function wake(): void {
    isWoken = true;
    sleepController.abort(wakeReason);
  }

  async function poll(): Promise<void> {
    const slots = settings.concurrency;
    if (inProgress.size >= slots || context.isLeader?.() === false) return;
    const runningDeliveries = [...inProgress.values()].map(({ delivery }) => delivery);
    const failingDeliveries = runningDeliveries.filter(
      ({ failingSinceMs }) => failingSinceMs !== null,
    );
    const dueDeliveries = await store.read("dueDeliveries", {
      nowMs: clock.now(),
      pausedWebhooks: pausedWebhooks(),
      inProgress: runningDeliveries.map(({ id, webhookId }) => ({ id, webhookId })),
      perWebhook: maxPerWebhook,
      limit: slots - runningDeliveries.length,
      failingLimit: Math.ceil(slots / 2) - failingDeliveries.length,
      reservedFailingSlots:
        failingDeliveries.length === 0 && (slots > 1 || !wasFailingLast) ? 1 : 0,
    });
    if (stopping.signal.aborted) return;
    for (const delivery of dueDeliveries) {
      wasFailingLast = delivery.failingSinceMs !== null;
      inProgress.set(delivery.id, { delivery, completion: run(delivery) });
    }
  }

  function pausedWebhooks(): string[] {
    const nowMs = clock.elapsed();
    for (const [id, untilMs] of pausedUntilMs) if (untilMs <= nowMs) pausedUntilMs.delete(id);
    return [...pausedUntilMs.keys()];
  }

  function pause(webhookId: string, untilMs: number): void {
    pausedUntilMs.set(webhookId, Math.max(untilMs, pausedUntilMs.get(webhookId) ?? 0));
  }

  async function run(delivery: DueDelivery): Promise<void> {
    try {
      const { end, pauseMs } = await attemptDelivery(context, delivery, aborting.signal);
      onOutcome?.(outcomes[end], 1);
      if (pauseMs > 0) pause(delivery.webhookId, clock.elapsed() + pauseMs);
    } catch (error) {
      if (!aborting.signal.aborted) onError(error, "a delivery failed to start");
    } finally {
      inProgress.delete(delivery.id);
      wake();
    }
  }

  /** Detects a wrong key at startup. */
  async function checkKey(): Promise<void> {
    const anySecret = await store.read("anyWebhookSecret", null);
    if (anySecret !== null) decryptWebhookSecrets(encryptor, anySecret);
  }

  function start(): void {
    checkKey().catch((error: unknown) => {
      log.error({ err: error }, "cannot decrypt the webhook secrets");
    });
    const onDropped = (deliveries: number) => onOutcome?.("dropped", deliveries);
    watching = Promise.all([
      watch(),
      enforceDeliveryRetention({ ...context, onDropped }, stopping.signal),
    ]);
  }

  async function stop(): Promise<void> {
    stopping.abort();
    wake();
    await watching;
    const completions = Promise.all([...inProgress.values()].map((attempt) => attempt.completion));
    const timerAbort = new AbortController();
    const timeout = clock.sleep(stopTimeoutMs, timerAbort.signal).catch(() => undefined);
    await Promise.race([completions, timeout]);
    timerAbort.abort();
    aborting.abort(new Error("the server is stopping"));
    await completions;
  }

  return { start, wake, stop };
}
