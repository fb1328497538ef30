import type { Database, Steps } from "../../db/statements.ts";
import { isoTime } from "../../lib/iso-time.ts";

/** Updates its delivery only if `attempts` and `nextMs` are unchanged: a later change wins. */
export type DeliveryAttempt = {
  id: string;
  webhookId: string;
  attempts: number;
  nextMs: number;
  nowMs: number;
  status: number | null;
  error: string | null;
  /** `retry` at `retryMs`; `gone`: the receiver returned 410. */
  end: "delivered" | "retry" | "failed" | "gone";
  retryMs: number | null;
  disableAfterMs: number;
};

export function* recordAttempt(
  database: Database,
  attempt: DeliveryAttempt,
): Steps<{ disabledReason: string | null }> {
  yield* updateDelivery(database, attempt);
  const disabledReason =
    attempt.end === "delivered" ? null : yield* recordFailure(database, attempt);
  if (attempt.end === "delivered") yield* recordSuccess(database, attempt.webhookId);
  yield* setDue(database, attempt.webhookId, attempt.nowMs);
  return { disabledReason };
}

/**
 * Sets when the webhook's next delivery is due, but not before `fromMs`. Call it after every change except the insertion of a
 * delivery.
 */
export function* setDue(database: Database, webhookId: string, fromMs: number): Steps<void> {
  yield* database.run(
    `UPDATE webhook SET due_ms = CASE WHEN disabled_ms IS NULL THEN
       (SELECT max(min(next_ms), :fromMs) FROM webhook_delivery WHERE webhook_id = :webhookId AND next_ms IS NOT NULL) END
     WHERE id = :webhookId`,
    { webhookId, fromMs },
  );
}

function* recordSuccess(database: Database, webhookId: string): Steps<void> {
  yield* database.run(
    "UPDATE webhook SET failing_since_ms = NULL WHERE id = :webhookId AND failing_since_ms IS NOT NULL",
    { webhookId },
  );
}

function* recordFailure(database: Database, attempt: DeliveryAttempt): Steps<string | null> {
  const { webhookId, nowMs } = attempt;
  const webhook = yield* database.get<{ sinceMs: number }>(
    `UPDATE webhook SET failing_since_ms = coalesce(failing_since_ms, :nowMs)
     WHERE id = :webhookId AND disabled_ms IS NULL RETURNING failing_since_ms AS sinceMs`,
    { webhookId, nowMs },
  );
  const reason = webhook === undefined ? null : reasonToDisable(attempt, webhook.sinceMs);
  if (reason === null) return null;
  yield* database.run(
    "UPDATE webhook SET disabled_ms = :nowMs, disabled_reason = :reason WHERE id = :webhookId",
    { webhookId, reason, nowMs },
  );
  return reason;
}

function* updateDelivery(database: Database, attempt: DeliveryAttempt): Steps<void> {
  const { id, attempts, nextMs, nowMs, status, error, retryMs } = attempt;
  const isDelivered = attempt.end === "delivered";
  yield* database.run(
    `UPDATE webhook_delivery
     SET attempts = attempts + 1, failures = failures + :failed, next_ms = :retryMs, last_ms = :nowMs,
         delivered_ms = :deliveredMs, last_status = :status, last_error = :error
     WHERE id = :id AND attempts = :attempts AND next_ms = :nextMs`,
    {
      id,
      attempts,
      nextMs,
      nowMs,
      status,
      error,
      retryMs,
      failed: isDelivered ? 0 : 1,
      deliveredMs: isDelivered ? nowMs : null,
    },
  );
}

function reasonToDisable(
  { end, nowMs, disableAfterMs }: DeliveryAttempt,
  sinceMs: number,
): string | null {
  if (end === "gone") return "its receiver returned 410 Gone";
  const hasFailedTooLong = end === "failed" && nowMs - sinceMs >= disableAfterMs;
  return hasFailedTooLong ? `all deliveries have failed since ${isoTime(sinceMs)}` : null;
}
