import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import type { DueDelivery } from "./due-deliveries.ts";
import type { WebhookOperations } from "./operations.ts";
import type { PostDelivery } from "./post.ts";
import type { DeliveryAttempt } from "./record-attempt.ts";
import { type AttemptOutcome, maxPauseMs, pauseAfter } from "./schedule.ts";
import { decryptWebhookSecrets, signatureHeaders } from "./secrets.ts";
import type { WebhookSettings } from "./settings.ts";

export type AttemptContext = {
  store: Pick<Store<WebhookOperations>, "write">;
  clock: Clock;
  random: () => number;
  settings: WebhookSettings;
  encryptor: Encryptor;
  post: PostDelivery;
  log: {
    info(fields: Record<string, unknown>, message: string): void;
    error(fields: Record<string, unknown>, message: string): void;
  };
  onError: (thrown: unknown, message: string) => void;
};

export type DeliveryEnd = {
  end: DeliveryAttempt["end"];
  pauseMs: number;
};

/** Statuses of an overloaded receiver, whose other deliveries also pause. */
const throttlingStatuses = new Set<number | null>([429, 502, 503, 504]);
const throttleMs = 5_000;

const recordRetryMs = 5_000;

/** On abort, rejects and records nothing. */
export async function attemptDelivery(
  context: AttemptContext,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<DeliveryEnd> {
  const { clock, random, settings, log } = context;
  const { id, webhookId, attempts, nextMs } = delivery;
  const outcome = await send(context, delivery, signal);
  const nowMs = clock.now();
  const end = outcomeEnd(outcome, delivery.failures + 1, random, nowMs);
  const { disableAfterMs } = settings;
  const attempt = { ...end, id, webhookId, attempts, nextMs, nowMs, disableAfterMs };
  const { disabledReason } = await record(context, attempt, signal);
  if (disabledReason !== null) {
    log.info({ webhook: webhookId, reason: disabledReason }, "disabled a webhook");
  }
  return { end: end.end, pauseMs: computePause(outcome) };
}

/** Retries, because otherwise a full disk would cause repeated deliveries. */
async function record(
  { store, clock, onError }: AttemptContext,
  attempt: DeliveryAttempt,
  signal: AbortSignal,
) {
  for (;;) {
    try {
      return await store.write("recordAttempt", attempt);
    } catch (error) {
      signal.throwIfAborted();
      onError(error, "failed to record a delivery's outcome");
    }
    await clock.sleep(recordRetryMs, signal);
  }
}

async function send(
  { clock, encryptor, post, log }: AttemptContext,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { id, webhookId, url, payload: body } = delivery;
  let secrets: string[];
  try {
    secrets = decryptWebhookSecrets(encryptor, delivery);
  } catch (thrown) {
    log.error({ webhook: webhookId, err: thrown }, "cannot decrypt a webhook's secret");
    const error = "the server cannot decrypt the signing secret; replace the secret";
    return { kind: "failed", status: null, error, retryAfterMs: null };
  }
  const fields = signatureHeaders({ id, atMs: clock.now(), body }, secrets);
  return await post({ url, body, fields }, signal);
}

function outcomeEnd(
  outcome: AttemptOutcome,
  failures: number,
  random: () => number,
  nowMs: number,
): Pick<DeliveryAttempt, "end" | "status" | "error" | "retryMs"> {
  const { kind, status } = outcome;
  if (kind === "delivered") return { end: kind, status, error: null, retryMs: null };
  if (kind === "gone") return { end: kind, status, error: `returned ${status}`, retryMs: null };
  const { error, retryAfterMs } = outcome;
  const pauseMs = pauseAfter(failures, retryAfterMs, random);
  if (pauseMs === null) return { end: "failed", status, error, retryMs: null };
  return { end: "retry", status, error, retryMs: nowMs + pauseMs };
}

function computePause(outcome: AttemptOutcome): number {
  if (outcome.kind !== "failed" || !throttlingStatuses.has(outcome.status)) return 0;
  return Math.min(outcome.retryAfterMs ?? throttleMs, maxPauseMs);
}
