import { urlListOrNone } from "../../lib/settings/network-kinds.ts";
import {
  choice,
  count,
  duration,
  type SettingsOf,
  settingDefaults,
} from "../../lib/settings/setting.ts";

const hourMs = 3_600_000;

export const webhookSettings = {
  maxPerAccount: count(
    "EARSHOT_MAX_WEBHOOKS",
    5,
    [0, 1_000],
    "Maximum number of webhooks per account.",
  ),
  concurrency: count(
    "EARSHOT_WEBHOOK_CONCURRENCY",
    32,
    [0, 1_000],
    "Concurrent deliveries, at most two for each webhook; 0 disables delivery.",
  ),
  timeoutMs: duration(
    "EARSHOT_WEBHOOK_TIMEOUT",
    15_000,
    1,
    "Time limit of a delivery attempt, from name resolution to the response status.",
  ),
  retentionMs: duration(
    "EARSHOT_WEBHOOK_RETENTION",
    7 * 24 * hourMs,
    1_000,
    "How long deliveries are stored, finished or not.",
  ),
  disableAfterMs: duration(
    "EARSHOT_WEBHOOK_DISABLE_AFTER",
    5 * 24 * hourMs,
    1_000,
    "How long a webhook must fail before it is disabled, at the end of a failed delivery.",
  ),
  allowHttp: choice(
    "EARSHOT_WEBHOOK_ALLOW_HTTP",
    "off",
    ["on", "off"],
    "Whether webhook URLs without TLS are allowed.",
  ),
  privateHosts: urlListOrNone(
    "EARSHOT_WEBHOOK_PRIVATE_HOSTS",
    [],
    ["https:", "http:"],
    "Hosts with private addresses that every account's webhooks can call.",
  ),
};

export const webhookLimits = {
  maxDeliveries: 10_000,
  formerSecretMs: 24 * hourMs,
};

export type WebhookSettings = SettingsOf<typeof webhookSettings> & typeof webhookLimits;

export const webhookDefaults: WebhookSettings = {
  ...settingDefaults(webhookSettings),
  ...webhookLimits,
};
