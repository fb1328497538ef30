export const jobEvents = ["job.done", "job.error", "job.cancelled"] as const;
export type JobEvent = (typeof jobEvents)[number];

/** `webhook.test` is sent on request of the owner. */
export const webhookEvents = [...jobEvents, "webhook.test"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Times are Unix milliseconds. */
export type Webhook = {
  id: string;
  accountId: string;
  url: string;
  events: readonly JobEvent[];
  createdMs: number;
  /** First failure since the last success; null if the last delivery succeeded. */
  failingSinceMs: number | null;
  /** Until when the former secret also signs. */
  formerUntilMs: number | null;
  disabledMs: number | null;
  disabledReason: string | null;
  /** Deleted unfinished, by the age or count limit. */
  dropped: number;
};

/** `waiting` includes deliveries in progress. */
export const deliveryStates = ["waiting", "delivered", "failed"] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** One event for one webhook, over all attempts; `id` identifies it to the receiver. */
export type Delivery = {
  id: string;
  /** Increases within its webhook. */
  number: number;
  event: WebhookEvent;
  state: DeliveryState;
  /** JSON, sent unchanged. */
  payload: string;
  createdMs: number;
  attempts: number;
  /** Null once it has ended. */
  nextMs: number | null;
  lastMs: number | null;
  deliveredMs: number | null;
  /** Null if there was no response. */
  lastStatus: number | null;
  lastError: string | null;
};

export type DeliveryPage = {
  deliveries: readonly Delivery[];
  /** Continues the list; null on the last page. */
  before: number | null;
};
