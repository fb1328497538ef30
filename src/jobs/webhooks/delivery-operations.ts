import { durable, read, relaxed } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import { type DueDelivery, dueDeliveries } from "./due-deliveries.ts";
import { recordAttempt, setDue } from "./record-attempt.ts";

type WebhookSecret = Pick<
  DueDelivery,
  "accountId" | "webhookId" | "encryptedSecret" | "formerEncryptedSecret"
>;

export const deliveryOperations = {
  dueDeliveries: read(dueDeliveries),

  recordAttempt: relaxed(recordAttempt),

  countWaitingDeliveries: read(function* (database, _args: null): Steps<number> {
    return (
      (yield* database.get<{ waiting: number }>(
        "SELECT count(*) AS waiting FROM webhook_delivery WHERE next_ms IS NOT NULL",
      ))?.waiting ?? 0
    );
  }),

  anyWebhookSecret: read(function* (database, _args: null): Steps<WebhookSecret | null> {
    return (
      (yield* database.get<WebhookSecret>(
        `SELECT id AS webhookId, account_id AS accountId, sealed_secret AS encryptedSecret, NULL AS formerEncryptedSecret
         FROM webhook LIMIT 1`,
      )) ?? null
    );
  }),

  /** `droppedCount` counts the deleted deliveries that were unfinished. */
  sweepDeliveries: durable(function* (
    database,
    limits: { nowMs: number; retentionMs: number; maxDeliveries: number },
  ): Steps<{ droppedCount: number; hasMore: boolean }> {
    const { nowMs, retentionMs, maxDeliveries } = limits;
    yield* database.run(
      "UPDATE webhook SET former_sealed_secret = NULL, former_until_ms = NULL WHERE former_until_ms <= :nowMs",
      { nowMs },
    );
    const oldDeliveries = yield* database.all<DeletedDelivery>(
      `DELETE FROM webhook_delivery WHERE id IN
           (SELECT id FROM webhook_delivery WHERE created_ms <= :createdMs LIMIT ${sweepRows})
         RETURNING webhook_id AS webhookId, next_ms AS nextMs`,
      { createdMs: nowMs - retentionMs },
    );
    const excessDeliveries = yield* database.all<DeletedDelivery>(
      `DELETE FROM webhook_delivery WHERE id IN
           (SELECT delivery.id FROM webhook CROSS JOIN webhook_delivery AS delivery
            WHERE delivery.webhook_id = webhook.id AND delivery.number <= webhook.last_number - :maxDeliveries
            LIMIT ${sweepRows})
         RETURNING webhook_id AS webhookId, next_ms AS nextMs`,
      { maxDeliveries },
    );
    const unfinishedDeliveries = [...oldDeliveries, ...excessDeliveries].filter(
      ({ nextMs }) => nextMs !== null,
    );
    for (const { webhookId } of unfinishedDeliveries) {
      yield* database.run("UPDATE webhook SET dropped = dropped + 1 WHERE id = :webhookId", {
        webhookId,
      });
    }
    for (const webhookId of new Set(unfinishedDeliveries.map((dropped) => dropped.webhookId))) {
      yield* setDue(database, webhookId, nowMs);
    }
    const hasMore = oldDeliveries.length === sweepRows || excessDeliveries.length === sweepRows;
    return { droppedCount: unfinishedDeliveries.length, hasMore };
  }),
};

type DeletedDelivery = { webhookId: string; nextMs: number | null };

const sweepRows = 500;
