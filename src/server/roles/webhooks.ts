import { randomBytes } from "node:crypto";
import { createPostDelivery, maxResponseBytes } from "../../jobs/webhooks/post.ts";
import { createSender, type Sender, type SenderContext } from "../../jobs/webhooks/sender.ts";
import { createWebhooks, type Webhooks } from "../../jobs/webhooks/webhooks.ts";
import type { Clock } from "../../lib/clock.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Config } from "../config.ts";
import type { Control } from "../control/control.ts";

export type WebhookRole = {
  webhooks: Webhooks;
  sender: Sender;
};

export type WebhookRoleContext = Pick<
  SenderContext,
  "random" | "log" | "isLeader" | "onError" | "onOutcome"
> & {
  settings: Config["webhooks"];
  store: Control["store"];
  secretKey: Uint8Array;
  clock: Clock;
  version: string;
};

export function createWebhookRole(context: WebhookRoleContext): WebhookRole {
  const { settings, store, clock, secretKey, version } = context;
  const encryptor = createEncryptor(secretKey, randomBytes);
  const guard = createGuard(settings.privateHosts, {
    setting: "EARSHOT_WEBHOOK_PRIVATE_HOSTS",
  });
  const client = createGuardedFetch({
    guard,
    userAgent: `earshot/${version}`,
    timeoutMs: settings.timeoutMs,
    maxBytes: maxResponseBytes,
    maxRedirects: 0,
    // Receivers that hang must not block others on the same host.
    maxConnectionsPerHost: Math.max(1, settings.concurrency),
  });
  const post = createPostDelivery(client, { timeoutMs: settings.timeoutMs, now: clock.now });
  const sender = createSender({ ...context, encryptor, post });
  const sharedContext = { store, clock, randomBytes, settings, encryptor, guard };
  return {
    webhooks: createWebhooks({ ...sharedContext, onDue: sender.wake }),
    sender: {
      ...sender,
      stop: async () => {
        await sender.stop();
        await client.close();
      },
    },
  };
}
