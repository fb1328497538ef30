export const jobEvents = ["job.done", "job.error", "job.cancelled"] as const;
export type JobEvent = (typeof jobEvents)[number];

/** As returned by /v1/webhooks (docs/api.md). */
export type Webhook = {
  id: string;
  url: string;
  events: readonly JobEvent[];
  status: "enabled" | "disabled";
  created_at: string;
  failing_since: string | null;
  disabled_reason: string | null;
  dropped: number;
};

export type WebhookWithSecret = Webhook & { secret: string };

export type WebhookList = { webhooks: readonly Webhook[] };

export type Delivery = {
  id: string;
  event: string;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  created_at: string;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
};

export type DeliveryList = { deliveries: readonly Delivery[]; next_cursor: string | null };

export const webhooksPath = "/v1/webhooks";

export const eventTexts: Readonly<Record<JobEvent, string>> = {
  "job.done": "A job is done",
  "job.error": "A job failed",
  "job.cancelled": "A job was cancelled",
};
