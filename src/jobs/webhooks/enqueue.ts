import { createHash } from "node:crypto";
import type { Database } from "../../db/open.ts";
import { jobPayload } from "./payload.ts";
import type { JobEvent, WebhookEvent } from "./webhook.ts";

export type EndedJob = { accountId: string; uuid: string; event: JobEvent; nowMs: number };

/**
 * Notes a delivery for each webhook of the account that wants the event, in the transaction in which the job ends and after
 * the job's row says so. What is delivered is fixed here. An account without webhooks costs one look into an index.
 */
export function enqueueDeliveries(database: Database, ended: EndedJob): void {
  const { accountId, uuid, event, nowMs } = ended;
  const webhooks = database.all<{ id: string; events: string }>(
    "SELECT id, events FROM webhook WHERE account_id = :accountId AND disabled_ms IS NULL",
    { accountId },
  );
  const interested = webhooks.filter(({ events }) => JSON.parse(events).includes(event));
  if (interested.length === 0) return;
  const payload = jobPayload(database, uuid, event, nowMs);
  if (payload === null) return;
  for (const { id: webhookId } of interested) {
    insertDelivery(database, {
      id: idOf(webhookId, uuid, event),
      webhookId,
      event,
      payload,
      nowMs,
    });
  }
}

export type NewDelivery = {
  id: string;
  webhookId: string;
  event: WebhookEvent;
  payload: string;
  nowMs: number;
};

/** Appends a delivery that is due at once. */
export function insertDelivery(database: Database, delivery: NewDelivery): void {
  const { id, webhookId, event, payload, nowMs } = delivery;
  const numbered = database.get<{ number: number }>(
    `UPDATE webhook SET last_number = last_number + 1, due_ms = min(coalesce(due_ms, :nowMs), :nowMs)
     WHERE id = :webhookId RETURNING last_number AS number`,
    { webhookId, nowMs },
  );
  if (numbered === undefined) return;
  database.run(
    `INSERT INTO webhook_delivery(id, webhook_id, number, event, payload, created_ms, next_ms)
     VALUES(:id, :webhookId, :number, :event, :payload, :nowMs, :nowMs) ON CONFLICT(id) DO NOTHING`,
    { id, webhookId, number: numbered.number, event, payload, nowMs },
  );
}

/** A job ends once, so that its event has one id for each webhook, which nobody can guess who does not know both. */
function idOf(webhookId: string, uuid: string, event: WebhookEvent): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([webhookId, uuid, event]))
    .digest("hex");
  return `msg_${hash.slice(0, 32)}`;
}
