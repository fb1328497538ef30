export const jobEvents = ["job.done", "job.error", "job.cancelled"] as const;
export type JobEvent = (typeof jobEvents)[number];

export const webhookEvents = [...jobEvents, "webhook.test"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export type Webhook = {
  id: string;
  accountId: string;
  url: string;
  events: readonly JobEvent[];
  createdMs: number;
  failingSinceMs: number | null;
  formerUntilMs: number | null;
  disabledMs: number | null;
  disabledReason: string | null;
  dropped: number;
};

export const deliveryStates = ["waiting", "delivered", "failed"] as const;
type DeliveryState = (typeof deliveryStates)[number];

export type Delivery = {
  id: string;
  number: number;
  event: WebhookEvent;
  state: DeliveryState;
  payload: string;
  createdMs: number;
  attempts: number;
  nextMs: number | null;
  lastMs: number | null;
  deliveredMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
};

export type DeliveryPage = {
  deliveries: readonly Delivery[];
  before: number | null;
};
