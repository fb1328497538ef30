import type { Delivery, DeliveryPage, Webhook } from "../../jobs/webhooks/webhook.ts";
import type { WebhookWithSecret } from "../../jobs/webhooks/webhooks.ts";
import { iso, isoOrNull } from "../submission/window.ts";
import { writeDeliveryCursor } from "./list-cursor.ts";

export function webhookBody(webhook: Webhook, nowMs: number) {
  const { formerUntilMs } = webhook;
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    status: webhook.disabledMs === null ? "enabled" : "disabled",
    created_at: iso(webhook.createdMs),
    failing_since: isoOrNull(webhook.failingSinceMs),
    disabled_at: isoOrNull(webhook.disabledMs),
    disabled_reason: webhook.disabledReason,
    former_secret_until:
      formerUntilMs !== null && formerUntilMs > nowMs ? iso(formerUntilMs) : null,
    dropped: webhook.dropped,
  };
}

export function webhookWithSecretBody({ webhook, secret }: WebhookWithSecret, nowMs: number) {
  return { ...webhookBody(webhook, nowMs), secret };
}

export function deliveryBody(delivery: Delivery) {
  return {
    id: delivery.id,
    event: delivery.event,
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: iso(delivery.createdMs),
    last_attempt_at: isoOrNull(delivery.lastMs),
    next_attempt_at: isoOrNull(delivery.nextMs),
    delivered_at: isoOrNull(delivery.deliveredMs),
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    payload: JSON.parse(delivery.payload),
  };
}

export function deliveryListBody(webhookId: string, { deliveries, before }: DeliveryPage) {
  return {
    deliveries: deliveries.map(deliveryBody),
    next_cursor: before === null ? null : writeDeliveryCursor(webhookId, before),
  };
}
