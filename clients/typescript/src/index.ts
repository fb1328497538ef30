export { Earshot, type EarshotOptions, type JobResult } from "./client.ts";
export { EarshotConnectionError, EarshotError } from "./errors.ts";
export type { EventOptions, JobChangeEvent } from "./events.ts";
export type {
  CountParams,
  JobChange,
  JobEvent,
  JobList,
  JobState,
  JobStatus,
  Method,
  PageParams,
  Platform,
  PostCounts,
  PostRecord,
  Problem,
  Proof,
  RequestOptions,
  SearchPage,
  SearchParams,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from "./types.ts";
export { verifyWebhook } from "./verify-webhook.ts";
export type { NewWebhook, Webhooks } from "./webhooks.ts";
