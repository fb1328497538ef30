import { createHash } from "node:crypto";
import type { Database, Steps } from "../../db/statements.ts";
import { jobPayload } from "./payload.ts";
import type { JobEvent, WebhookEvent } from "./webhook.ts";

export type JobEnd = { accountId: string; uuid: string; event: JobEvent; nowMs: number };

/**
 * Adds a delivery for each subscribed webhook. Call it in the transaction that ends the job, after the job's row is updated.
 */
export function* enqueueDeliveries(database: Database, jobEnd: JobEnd): Steps<boolean> {
  const { accountId, uuid, event, nowMs } = jobEnd;
  const webhooks = yield* database.all<{ id: string; events: string }>(
    "SELECT id, events FROM webhook WHERE account_id = :accountId AND disabled_ms IS NULL",
    { accountId },
  );
  const subscribedWebhooks = webhooks.filter(({ events }) => JSON.parse(events).includes(event));
  if (subscribedWebhooks.length === 0) return false;
  const payload = yield* jobPayload(database, uuid, event, nowMs);
  if (payload === null) return false;
  for (const { id: webhookId } of subscribedWebhooks) {
    yield* insertDelivery(database, {
      id: deliveryId(webhookId, uuid, event),
      webhookId,
      event,
      payload,
      nowMs,
    });
  }
  return true;
}

export type NewDelivery = {
  id: string;
  webhookId: string;
  event: WebhookEvent;
  payload: string;
  nowMs: number;
};

export function* insertDelivery(database: Database, delivery: NewDelivery): Steps<void> {
  const { id, webhookId, event, payload, nowMs } = delivery;
  const webhook = yield* database.get<{ number: number }>(
    `UPDATE webhook SET last_number = last_number + 1, due_ms = min(coalesce(due_ms, :nowMs), :nowMs)
     WHERE id = :webhookId RETURNING last_number AS number`,
    { webhookId, nowMs },
  );
  if (webhook === undefined) return;
  yield* database.run(
    `INSERT INTO webhook_delivery(id, webhook_id, number, event, payload, created_ms, next_ms)
     VALUES(:id, :webhookId, :number, :event, :payload, :nowMs, :nowMs) ON CONFLICT(id) DO NOTHING`,
    { id, webhookId, number: webhook.number, event, payload, nowMs },
  );
}

/** Unique, because a job ends once, and not guessable without both the webhook ID and the uuid. */
function deliveryId(webhookId: string, uuid: string, event: WebhookEvent): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([webhookId, uuid, event]))
    .digest("hex");
  return `msg_${hash.slice(0, 32)}`;
}
