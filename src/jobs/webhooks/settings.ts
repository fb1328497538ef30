/** Limits and times of webhooks; durations in milliseconds. */
export type WebhookSettings = {
  /** Webhooks of one account. */
  maxPerAccount: number;
  /** Deliveries under way at the same time, of all webhooks together. */
  concurrency: number;
  /** For one try, from the look-up of the name to the status of the answer. */
  timeoutMs: number;
  /** How long a delivery is kept, whether it has ended or not. */
  retentionMs: number;
  /** Deliveries that are kept of one webhook; the oldest go first. */
  maxDeliveries: number;
  /** A webhook to which nothing could be delivered for so long is disabled. */
  disableAfterMs: number;
  /** How long a secret that was replaced signs beside the one that replaced it. */
  formerSecretMs: number;
  allowHttp: "on" | "off";
  /** Addresses that may be called though they are not public. */
  privateHosts: readonly string[];
};

const hourMs = 3_600_000;

export const webhookDefaults: WebhookSettings = {
  maxPerAccount: 5,
  concurrency: 32,
  timeoutMs: 15_000,
  retentionMs: 7 * 24 * hourMs,
  maxDeliveries: 10_000,
  disableAfterMs: 5 * 24 * hourMs,
  formerSecretMs: 24 * hourMs,
  allowHttp: "off",
  privateHosts: [],
};
