/** What happens to jobs; a webhook is told of those that it asks for. */
export const jobEvents = ["job.done", "job.error", "job.cancelled"] as const;
export type JobEvent = (typeof jobEvents)[number];

/** `webhook.test` is sent when its owner asks for it. */
export const webhookEvents = [...jobEvents, "webhook.test"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** An address of an account that is told what happens to its jobs. Times are Unix milliseconds. */
export type Webhook = {
  id: string;
  accountId: string;
  url: string;
  events: readonly JobEvent[];
  createdMs: number;
  /** The first failure since a delivery last succeeded; null when the last one did. */
  failingSinceMs: number | null;
  /** Until when the former secret signs beside the one in use. */
  formerUntilMs: number | null;
  disabledMs: number | null;
  disabledReason: string | null;
  /** Deliveries that were dropped before they had ended, as too many or too old. */
  dropped: number;
};

/** `waiting` also while it is being tried. */
export const deliveryStates = ["waiting", "delivered", "failed"] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** One event for one webhook, however often it is tried; `id` is what its receiver knows it by. */
export type Delivery = {
  id: string;
  /** Within its webhook, growing. */
  number: number;
  event: WebhookEvent;
  state: DeliveryState;
  /** JSON, sent as it is. */
  payload: string;
  createdMs: number;
  attempts: number;
  /** When it is tried next; null when it has ended. */
  nextMs: number | null;
  /** When it was tried last. */
  lastMs: number | null;
  deliveredMs: number | null;
  /** Status of the last answer; null when there was none. */
  lastStatus: number | null;
  /** Why the last try failed. */
  lastError: string | null;
};

export type DeliveryPage = {
  deliveries: readonly Delivery[];
  /** Continues the list; null when it ends here. */
  before: number | null;
};
