import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";

export type DueDelivery = {
  id: string;
  webhookId: string;
  accountId: string;
  url: string;
  payload: string;
  attempts: number;
  failures: number;
  nextMs: number;
  failingSinceMs: number | null;
  encryptedSecret: Uint8Array;
  /** Null if there is none or it has expired. */
  formerEncryptedSecret: Uint8Array | null;
};

export type DueRequest = {
  nowMs: number;
  pausedWebhooks: readonly string[];
  inProgress: readonly { id: string; webhookId: string }[];
  perWebhook: number;
  limit: number;
  failingLimit: number;
  /** Slots reserved for failing webhooks, so that healthy ones cannot starve them. */
  reservedFailingSlots: number;
};

/** Round-robin over webhooks: the most recently attempted one comes last. */
export function* dueDeliveries(database: Database, request: DueRequest): Steps<DueDelivery[]> {
  const { limit, failingLimit, reservedFailingSlots } = request;
  const healthyIds = yield* dueByWebhook(database, request, { isHealthy: 1, limit });
  const freeSlots = Math.max(limit - healthyIds.length, Math.min(limit, reservedFailingSlots));
  const room = Math.max(0, Math.min(failingLimit, freeSlots));
  const failingIds = yield* dueByWebhook(database, request, { isHealthy: 0, limit: room });
  const dueIds = [...healthyIds.slice(0, limit - failingIds.length), ...failingIds];
  return yield* mapNonNull(dueIds, (id) => readDetails(database, id, request.nowMs));
}

type DueFilter = { isHealthy: 0 | 1; limit: number };

function* dueByWebhook(
  database: Database,
  request: DueRequest,
  { isHealthy, limit }: DueFilter,
): Steps<string[]> {
  if (limit === 0) return [];
  const { nowMs, pausedWebhooks, inProgress } = request;
  const webhooks = yield* database.all<{ webhookId: string }>(
    `SELECT id AS webhookId FROM webhook
     WHERE (failing_since_ms IS NULL) = :isHealthy AND due_ms <= :nowMs
     ORDER BY due_ms LIMIT :webhooks`,
    // Paused and busy webhooks may come first.
    { isHealthy, nowMs, webhooks: limit + inProgress.length + pausedWebhooks.length },
  );
  const pausedIds = new Set(pausedWebhooks);
  const ids: string[] = [];
  for (const { webhookId } of webhooks) {
    if (ids.length >= limit) break;
    if (!pausedIds.has(webhookId)) ids.push(...(yield* readDueIds(database, webhookId, request)));
  }
  return ids.slice(0, limit);
}

function* readDueIds(
  database: Database,
  webhookId: string,
  { nowMs, inProgress, perWebhook }: DueRequest,
): Steps<string[]> {
  const busyIds = new Set(
    inProgress.filter((each) => each.webhookId === webhookId).map(({ id }) => id),
  );
  const room = perWebhook - busyIds.size;
  if (room <= 0) return [];
  return (yield* database.all<{ id: string }>(
    `SELECT id FROM webhook_delivery
       WHERE webhook_id = :webhookId AND next_ms <= :nowMs ORDER BY next_ms, number LIMIT :rows`,
    { webhookId, nowMs, rows: room + busyIds.size },
  ))
    .map(({ id }) => id)
    .filter((id) => !busyIds.has(id))
    .slice(0, room);
}

function* readDetails(database: Database, id: string, nowMs: number): Steps<DueDelivery | null> {
  const delivery = yield* database.get<DueDelivery>(
    `SELECT delivery.id, webhook_id AS webhookId, account_id AS accountId, url, payload, attempts, failures, next_ms AS nextMs,
            failing_since_ms AS failingSinceMs, sealed_secret AS encryptedSecret,
            CASE WHEN former_until_ms > :nowMs THEN former_sealed_secret END AS formerEncryptedSecret
     FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = webhook_id
     WHERE delivery.id = :id AND disabled_ms IS NULL`,
    { id, nowMs },
  );
  return delivery ?? null;
}
