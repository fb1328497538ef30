import type { Database } from "../../db/open.ts";

/**
 * How a try went, times in Unix milliseconds. The row must be as it was when the try began: anything else is a later decision,
 * and stays.
 */
export type TryEnd = {
  id: string;
  webhookId: string;
  attempts: number;
  nextMs: number;
  nowMs: number;
  status: number | null;
  error: string | null;
  /** `retry` at `retryMs`; `failed` when no try is left; `gone` when the receiver wants nothing any more. */
  end: "delivered" | "retry" | "failed" | "gone";
  retryMs: number | null;
  /** A webhook without a success for so long is disabled when a delivery fails for good. */
  disableAfterMs: number;
};

/** Notes a try. Why the webhook was disabled by it; null when it was not. */
export function endTry(database: Database, end: TryEnd): { disabledReason: string | null } {
  noteTry(database, end);
  const disabledReason = end.end === "delivered" ? null : noteFailure(database, end);
  if (end.end === "delivered") noteSuccess(database, end.webhookId);
  setDue(database, end.webhookId, end.nowMs);
  return { disabledReason };
}

/**
 * Notes from when on a webhook is to be looked at: when the first of its deliveries is due, not before `fromMs`; never while it
 * is disabled. To be called after anything but the addition of a delivery.
 */
export function setDue(database: Database, webhookId: string, fromMs: number): void {
  database.run(
    `UPDATE webhook SET due_ms = CASE WHEN disabled_ms IS NULL THEN
       (SELECT max(min(next_ms), :fromMs) FROM webhook_delivery WHERE webhook_id = :webhookId AND next_ms IS NOT NULL) END
     WHERE id = :webhookId`,
    { webhookId, fromMs },
  );
}

function noteSuccess(database: Database, webhookId: string): void {
  database.run(
    "UPDATE webhook SET failing_since_ms = NULL WHERE id = :webhookId AND failing_since_ms IS NOT NULL",
    { webhookId },
  );
}

/** Why the webhook is disabled; null when it is not, or was before. */
function noteFailure(database: Database, end: TryEnd): string | null {
  const { webhookId, nowMs } = end;
  const failing = database.get<{ sinceMs: number }>(
    `UPDATE webhook SET failing_since_ms = coalesce(failing_since_ms, :nowMs)
     WHERE id = :webhookId AND disabled_ms IS NULL RETURNING failing_since_ms AS sinceMs`,
    { webhookId, nowMs },
  );
  const reason = failing === undefined ? null : reasonToDisable(end, failing.sinceMs);
  if (reason === null) return null;
  database.run(
    "UPDATE webhook SET disabled_ms = :nowMs, disabled_reason = :reason WHERE id = :webhookId",
    { webhookId, reason, nowMs },
  );
  return reason;
}

function noteTry(database: Database, end: TryEnd): void {
  const { id, attempts, nextMs, nowMs, status, error, retryMs } = end;
  const isDelivered = end.end === "delivered";
  database.run(
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

function reasonToDisable({ end, nowMs, disableAfterMs }: TryEnd, sinceMs: number): string | null {
  if (end === "gone") return "its receiver answered 410 Gone";
  const isLong = end === "failed" && nowMs - sinceMs >= disableAfterMs;
  return isLong ? `nothing could be delivered since ${new Date(sinceMs).toISOString()}` : null;
}
