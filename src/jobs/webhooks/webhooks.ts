import type { Store } from "../../db/operations.ts";
import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import type { Guard } from "../../lib/guard.ts";
import type { WebhookOperations } from "./operations.ts";
import type { DeliveryFilter } from "./rows.ts";
import { newSigningSecret, webhookOwner } from "./secrets.ts";
import type { WebhookSettings } from "./settings.ts";
import type { Delivery, DeliveryPage, JobEvent, Webhook } from "./webhook.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

/** Webhooks belong to an account, not to a search: a prompt injection could make an agent add a URL to its search. */
export type Webhooks = {
  /** Errors: `webhook_url_refused`, `too_many_webhooks`. */
  create(
    accountId: string,
    params: { url: string; events: readonly JobEvent[] },
  ): Promise<WebhookWithSecret>;
  list(accountId: string): Promise<readonly Webhook[]>;
  find(accountId: string, id: string): Promise<Webhook | null>;
  remove(accountId: string, id: string): Promise<boolean>;
  replaceSecret(accountId: string, id: string): Promise<WebhookWithSecret | null>;
  enable(accountId: string, id: string): Promise<Webhook | null>;
  /** Sends a `webhook.test`. Errors: `webhook_disabled`. */
  test(accountId: string, id: string): Promise<Delivery | null>;
  deliveries(accountId: string, id: string, filter: DeliveryFilter): Promise<DeliveryPage | null>;
  /** Returns `webhook` or `delivery`, whichever does not exist. Errors: `webhook_disabled`. */
  replay(
    accountId: string,
    id: string,
    deliveryId: string,
  ): Promise<Delivery | "webhook" | "delivery">;
};

export type WebhookWithSecret = { webhook: Webhook; secret: string };

export type WebhooksContext = {
  store: Store<WebhookOperations>;
  clock: Clock;
  randomBytes: RandomBytes;
  settings: WebhookSettings;
  encryptor: Encryptor;
  guard: Guard;
  onDue: () => void;
};

const idLength = 20;

export function createWebhooks(context: WebhooksContext): Webhooks {
  const { store, clock, randomBytes, settings, encryptor, guard, onDue } = context;

  function newSecret(
    accountId: string,
    id: string,
  ): { secret: string; encryptedSecret: Uint8Array } {
    const secret = newSigningSecret(randomBytes);
    return { secret, encryptedSecret: encryptor.encrypt(secret, webhookOwner(accountId, id)) };
  }

  return {
    create: async (accountId, { url: requestedUrl, events }) => {
      const url = checkWebhookUrl(requestedUrl, { guard, allowHttp: settings.allowHttp });
      const id = `wh_${randomBase62(idLength, randomBytes)}`;
      const { secret, encryptedSecret } = newSecret(accountId, id);
      const { maxPerAccount } = settings;
      const nowMs = clock.now();
      const params = { accountId, id, url, events, encryptedSecret, nowMs, maxPerAccount };
      return { webhook: await store.write("createWebhook", params), secret };
    },

    list: (accountId) => store.read("listWebhooks", { accountId }),

    find: (accountId, id) => store.read("findWebhook", { accountId, id }),

    remove: (accountId, id) => store.write("deleteWebhook", { accountId, id }),

    replaceSecret: async (accountId, id) => {
      const { secret, encryptedSecret } = newSecret(accountId, id);
      const formerUntilMs = clock.now() + settings.formerSecretMs;
      const change = { accountId, id, encryptedSecret, formerUntilMs };
      const webhook = await store.write("replaceWebhookSecret", change);
      return webhook && { webhook, secret };
    },

    enable: async (accountId, id) => {
      const webhook = await store.write("enableWebhook", { accountId, id, nowMs: clock.now() });
      if (webhook !== null) onDue();
      return webhook;
    },

    test: async (accountId, id) => {
      const deliveryId = `msg_${Buffer.from(randomBytes(16)).toString("hex")}`;
      const nowMs = clock.now();
      const delivery = await store.write("testWebhook", { accountId, id, deliveryId, nowMs });
      if (delivery !== null) onDue();
      return delivery;
    },

    deliveries: async (accountId, id, filter) => {
      const extendedFilter = { ...filter, limit: filter.limit + 1 };
      const rows = await store.read("listDeliveries", { accountId, id, filter: extendedFilter });
      if (rows === null) return null;
      const deliveries = rows.slice(0, filter.limit);
      const isLast = rows.length <= filter.limit;
      return { deliveries, before: isLast ? null : (deliveries.at(-1)?.number ?? null) };
    },

    replay: async (accountId, id, deliveryId) => {
      const nowMs = clock.now();
      const outcome = await store.write("replayDelivery", { accountId, id, deliveryId, nowMs });
      if (typeof outcome !== "string") onDue();
      return outcome;
    },
  };
}
