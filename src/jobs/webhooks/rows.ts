import type { Database, Steps } from "../../db/statements.ts";
import type { Delivery, Webhook, WebhookEvent } from "./webhook.ts";

type WebhookRow = Omit<Webhook, "events"> & { events: string };

type DeliveryRow = Omit<Delivery, "state" | "event"> & { event: WebhookEvent };

const webhookColumns = `id, account_id AS accountId, url, events, created_ms AS createdMs, failing_since_ms AS failingSinceMs,
  former_until_ms AS formerUntilMs, disabled_ms AS disabledMs, disabled_reason AS disabledReason, dropped`;

const deliveryColumns = `id, number, event, payload, created_ms AS createdMs, attempts, next_ms AS nextMs, last_ms AS lastMs,
  delivered_ms AS deliveredMs, last_status AS lastStatus, last_error AS lastError`;

export function* readWebhooks(database: Database, accountId: string): Steps<Webhook[]> {
  return (yield* database.all<WebhookRow>(
    `SELECT ${webhookColumns} FROM webhook WHERE account_id = :accountId ORDER BY created_ms, id`,
    { accountId },
  )).map(readWebhook);
}

export function* findWebhook(
  database: Database,
  { accountId, id }: OwnedId,
): Steps<Webhook | null> {
  const row = yield* database.get<WebhookRow>(
    `SELECT ${webhookColumns} FROM webhook WHERE id = :id AND account_id = :accountId`,
    { accountId, id },
  );
  return row === undefined ? null : readWebhook(row);
}

export type OwnedId = { accountId: string; id: string };

export type DeliveryFilter = {
  states: readonly Delivery["state"][] | null;
  before: number | null;
  limit: number;
};

const stateConditions: Record<Delivery["state"], string> = {
  waiting: "next_ms IS NOT NULL",
  delivered: "next_ms IS NULL AND delivered_ms IS NOT NULL",
  failed: "next_ms IS NULL AND delivered_ms IS NULL",
};

export function* readDeliveries(
  database: Database,
  webhookId: string,
  { states, before, limit }: DeliveryFilter,
): Steps<Delivery[]> {
  const stateFilter = states?.map((state) => `(${stateConditions[state]})`).join(" OR ") ?? "TRUE";
  return (yield* database.all<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM webhook_delivery
       WHERE webhook_id = :webhookId AND number < :before AND (${stateFilter})
       ORDER BY number DESC LIMIT :limit`,
    { webhookId, before: before ?? Number.MAX_SAFE_INTEGER, limit },
  )).map(readDelivery);
}

export function* findDelivery(
  database: Database,
  webhookId: string,
  id: string,
): Steps<Delivery | null> {
  const row = yield* database.get<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM webhook_delivery WHERE id = :id AND webhook_id = :webhookId`,
    { webhookId, id },
  );
  return row === undefined ? null : readDelivery(row);
}

function readWebhook(row: WebhookRow): Webhook {
  return { ...row, events: JSON.parse(row.events) };
}

function readDelivery(row: DeliveryRow): Delivery {
  const endState = row.deliveredMs === null ? "failed" : "delivered";
  return { ...row, state: row.nextMs === null ? endState : "waiting" };
}
