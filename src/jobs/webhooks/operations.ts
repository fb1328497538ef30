import type { Database } from "../../db/open.ts";
import { durable, read } from "../../db/operations.ts";
import { EarshotError } from "../../lib/errors.ts";
import { deliveryOperations } from "./delivery-operations.ts";
import { setDue } from "./end-try.ts";
import { insertDelivery } from "./enqueue.ts";
import { testPayload } from "./payload.ts";
import {
  type DeliveryFilter,
  deliveriesOf,
  deliveryOf,
  type OwnedId,
  webhookOf,
  webhooksOf,
} from "./rows.ts";
import type { Delivery, JobEvent, Webhook } from "./webhook.ts";

export type NewWebhook = OwnedId & {
  url: string;
  events: readonly JobEvent[];
  sealedSecret: Uint8Array;
  nowMs: number;
  maxPerAccount: number;
};

export type SecretChange = OwnedId & {
  sealedSecret: Uint8Array;
  /** The replaced secret also signs until then. */
  formerUntilMs: number;
};

export type WebhookOperations = typeof webhookOperations;

/** Scoped to the account: another account's webhook is null. Changes are durable. */
export const webhookOperations = {
  ...deliveryOperations,

  /** Errors: `too_many_webhooks`. */
  createWebhook: durable((database, params: NewWebhook): Webhook => {
    const { id, accountId, url, events, sealedSecret, nowMs, maxPerAccount } = params;
    if (webhooksOf(database, accountId).length >= maxPerAccount) throw tooMany(maxPerAccount);
    database.run(
      `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
       VALUES(:id, :accountId, :url, :events, :sealedSecret, :nowMs)`,
      { id, accountId, url, events: JSON.stringify(events), sealedSecret, nowMs },
    );
    return present(webhookOf(database, params));
  }),

  listWebhooks: read((database, { accountId }: { accountId: string }): Webhook[] =>
    webhooksOf(database, accountId),
  ),

  findWebhook: read((database, owned: OwnedId): Webhook | null => webhookOf(database, owned)),

  /** Also deletes its deliveries. */
  deleteWebhook: durable(
    (database, { accountId, id }: OwnedId): boolean =>
      database.run("DELETE FROM webhook WHERE id = :id AND account_id = :accountId", {
        accountId,
        id,
      }) === 1,
  ),

  replaceWebhookSecret: durable((database, change: SecretChange): Webhook | null => {
    const { accountId, id, sealedSecret, formerUntilMs } = change;
    database.run(
      `UPDATE webhook SET former_sealed_secret = sealed_secret, former_until_ms = :formerUntilMs, sealed_secret = :sealedSecret
       WHERE id = :id AND account_id = :accountId`,
      { accountId, id, sealedSecret, formerUntilMs },
    );
    return webhookOf(database, change);
  }),

  enableWebhook: durable(
    (database, { nowMs, ...owned }: OwnedId & { nowMs: number }): Webhook | null => {
      const changed = database.run(
        `UPDATE webhook SET disabled_ms = NULL, disabled_reason = NULL, failing_since_ms = NULL
       WHERE id = :id AND account_id = :accountId AND disabled_ms IS NOT NULL`,
        owned,
      );
      if (changed === 1) setDue(database, owned.id, nowMs);
      return webhookOf(database, owned);
    },
  ),

  /** Errors: `webhook_disabled`. */
  testWebhook: durable(
    (database, test: OwnedId & { deliveryId: string; nowMs: number }): Delivery | null => {
      const { deliveryId, nowMs } = test;
      const webhook = enabled(database, { accountId: test.accountId, id: test.id });
      if (webhook === null) return null;
      insertDelivery(database, {
        id: deliveryId,
        webhookId: webhook.id,
        event: "webhook.test",
        payload: testPayload(webhook.id, nowMs),
        nowMs,
      });
      return present(deliveryOf(database, webhook.id, deliveryId));
    },
  ),

  listDeliveries: read(
    (database, { filter, ...owned }: OwnedId & { filter: DeliveryFilter }): Delivery[] | null =>
      webhookOf(database, owned) && deliveriesOf(database, owned.id, filter),
  ),

  /** Restores all attempts. Returns `webhook` or `delivery` if that does not exist. Errors: `webhook_disabled`. */
  replayDelivery: durable(
    (
      database,
      replay: OwnedId & { deliveryId: string; nowMs: number },
    ): Delivery | "webhook" | "delivery" => {
      const { accountId, id, deliveryId, nowMs } = replay;
      if (webhookOf(database, { accountId, id }) === null) return "webhook";
      if (deliveryOf(database, id, deliveryId) === null) return "delivery";
      enabled(database, { accountId, id });
      database.run(
        `UPDATE webhook_delivery SET next_ms = :nowMs, failures = 0, delivered_ms = NULL
         WHERE id = :deliveryId AND webhook_id = :id`,
        { id, deliveryId, nowMs },
      );
      setDue(database, id, nowMs);
      return present(deliveryOf(database, id, deliveryId));
    },
  ),
};

/** Null if the account has no such webhook. Errors: `webhook_disabled`. */
function enabled(database: Database, owned: OwnedId): Webhook | null {
  const webhook = webhookOf(database, owned);
  if (webhook === null || webhook.disabledMs === null) return webhook;
  throw new EarshotError("webhook_disabled", `the webhook is disabled: ${webhook.disabledReason}`, {
    status: 409,
    hint: `mend its receiver, then POST /v1/webhooks/${webhook.id}/enable`,
  });
}

function tooMany(most: number): EarshotError {
  return new EarshotError("too_many_webhooks", `the account has ${most} webhooks already`, {
    status: 409,
    hint: "delete one of them first; GET /v1/webhooks lists them",
  });
}

function present<Value>(value: Value | null): Value {
  if (value === null) throw new Error("a row is missing that was just written");
  return value;
}
