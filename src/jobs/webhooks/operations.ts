import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import { deliveryOperations } from "./delivery-operations.ts";
import { insertDelivery } from "./enqueue.ts";
import { testPayload } from "./payload.ts";
import { setDue } from "./record-attempt.ts";
import {
  type DeliveryFilter,
  findDelivery,
  findWebhook,
  type OwnedId,
  readDeliveries,
  readWebhooks,
} from "./rows.ts";
import type { Delivery, JobEvent, Webhook } from "./webhook.ts";

export type NewWebhook = OwnedId & {
  url: string;
  events: readonly JobEvent[];
  encryptedSecret: Uint8Array;
  nowMs: number;
  maxPerAccount: number;
};

export type SecretChange = OwnedId & {
  encryptedSecret: Uint8Array;
  formerUntilMs: number;
};

export type WebhookOperations = typeof webhookOperations;

/** Other accounts' webhooks are not found. */
export const webhookOperations = {
  ...deliveryOperations,

  /** Errors: `too_many_webhooks`. */
  createWebhook: durable(function* (database, params: NewWebhook): Steps<Webhook> {
    const { id, accountId, url, events, encryptedSecret, nowMs, maxPerAccount } = params;
    if ((yield* readWebhooks(database, accountId)).length >= maxPerAccount)
      throw tooManyWebhooksError(maxPerAccount);
    yield* database.run(
      `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
       VALUES(:id, :accountId, :url, :events, :encryptedSecret, :nowMs)`,
      { id, accountId, url, events: JSON.stringify(events), encryptedSecret, nowMs },
    );
    return requirePresent(yield* findWebhook(database, params));
  }),

  listWebhooks: read(function* (database, { accountId }: { accountId: string }): Steps<Webhook[]> {
    return yield* readWebhooks(database, accountId);
  }),

  findWebhook: read(function* (database, owned: OwnedId): Steps<Webhook | null> {
    return yield* findWebhook(database, owned);
  }),

  deleteWebhook: durable(function* (database, { accountId, id }: OwnedId): Steps<boolean> {
    return (
      (yield* database.run("DELETE FROM webhook WHERE id = :id AND account_id = :accountId", {
        accountId,
        id,
      })) === 1
    );
  }),

  replaceWebhookSecret: durable(function* (database, change: SecretChange): Steps<Webhook | null> {
    const { accountId, id, encryptedSecret, formerUntilMs } = change;
    yield* database.run(
      `UPDATE webhook SET former_sealed_secret = sealed_secret, former_until_ms = :formerUntilMs, sealed_secret = :encryptedSecret
       WHERE id = :id AND account_id = :accountId`,
      { accountId, id, encryptedSecret, formerUntilMs },
    );
    return yield* findWebhook(database, change);
  }),

  enableWebhook: durable(function* (
    database,
    { nowMs, ...owned }: OwnedId & { nowMs: number },
  ): Steps<Webhook | null> {
    const changedRows = yield* database.run(
      `UPDATE webhook SET disabled_ms = NULL, disabled_reason = NULL, failing_since_ms = NULL
       WHERE id = :id AND account_id = :accountId AND disabled_ms IS NOT NULL`,
      owned,
    );
    if (changedRows === 1) yield* setDue(database, owned.id, nowMs);
    return yield* findWebhook(database, owned);
  }),

  /** Errors: `webhook_disabled`. */
  testWebhook: durable(function* (
    database,
    test: OwnedId & { deliveryId: string; nowMs: number },
  ): Steps<Delivery | null> {
    const { deliveryId, nowMs } = test;
    const webhook = yield* findEnabledWebhook(database, { accountId: test.accountId, id: test.id });
    if (webhook === null) return null;
    yield* insertDelivery(database, {
      id: deliveryId,
      webhookId: webhook.id,
      event: "webhook.test",
      payload: testPayload(webhook.id, nowMs),
      nowMs,
    });
    return requirePresent(yield* findDelivery(database, webhook.id, deliveryId));
  }),

  listDeliveries: read(function* (
    database,
    { filter, ...owned }: OwnedId & { filter: DeliveryFilter },
  ): Steps<Delivery[] | null> {
    return (
      (yield* findWebhook(database, owned)) && (yield* readDeliveries(database, owned.id, filter))
    );
  }),

  /** Errors: `webhook_disabled`. */
  replayDelivery: durable(function* (
    database,
    replay: OwnedId & { deliveryId: string; nowMs: number },
  ): Steps<Delivery | "webhook" | "delivery"> {
    const { accountId, id, deliveryId, nowMs } = replay;
    if ((yield* findWebhook(database, { accountId, id })) === null) return "webhook";
    if ((yield* findDelivery(database, id, deliveryId)) === null) return "delivery";
    yield* findEnabledWebhook(database, { accountId, id });
    yield* database.run(
      `UPDATE webhook_delivery SET next_ms = :nowMs, failures = 0, delivered_ms = NULL
         WHERE id = :deliveryId AND webhook_id = :id`,
      { id, deliveryId, nowMs },
    );
    yield* setDue(database, id, nowMs);
    return requirePresent(yield* findDelivery(database, id, deliveryId));
  }),
};

/** Null if the account has no such webhook. Errors: `webhook_disabled`. */
function* findEnabledWebhook(database: Database, owned: OwnedId): Steps<Webhook | null> {
  const webhook = yield* findWebhook(database, owned);
  if (webhook === null || webhook.disabledMs === null) return webhook;
  throw new EarshotError("webhook_disabled", `the webhook is disabled: ${webhook.disabledReason}`, {
    status: 409,
    hint: `fix its receiver, then POST /v1/webhooks/${webhook.id}/enable`,
  });
}

function tooManyWebhooksError(max: number): EarshotError {
  return new EarshotError("too_many_webhooks", `the account already has ${max} webhooks`, {
    status: 409,
    hint: "delete one first; find them at GET /v1/webhooks",
  });
}

function requirePresent<Value>(value: Value | null): Value {
  if (value === null) throw new Error("the new row is missing");
  return value;
}
