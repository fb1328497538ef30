import type { components } from "./openapi.ts";

type Schemas = components["schemas"];

export type PostRecord = Schemas["Record"];
export type SearchPage = Schemas["SearchAnswer"];
export type JobStatus = Schemas["JobStatus"];
export type JobState = Schemas["JobState"];
export type JobList = Schemas["JobList"];
export type PostCounts = Schemas["PostCounts"];
export type Proof = Schemas["Proof"];
export type Problem = Schemas["Problem"];
export type Webhook = Schemas["Webhook"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type JobEvent = Schemas["JobEvent"];

export type Method = NonNullable<Schemas["SearchArguments"]["type"]>;
export type Platform = JobStatus["platform"];

/** The arguments of the API, plus `platform`. */
export type SearchParams = {
  /**
   * What to search for, which may contain operators. For other methods: the account, post or Space.
   */
  query?: string;
  /** Default `searchbyquery`: the last seven days. `searchbyfullarchive`: all posts. */
  method?: Method;
  platform?: Platform;
  max_results?: number;
  /** ISO 8601, inclusive. */
  start_time?: string;
  /** ISO 8601, exclusive. */
  end_time?: string;
  next_cursor?: string;
};

export type PageParams = SearchParams & {
  /** Fields of records to return, such as `Metadata.username`. */
  fields?: string[];
  /** Maximum total length of all texts, in characters. */
  max_chars?: number;
};

export type CountParams = {
  query: string;
  platform?: Platform;
  granularity?: "minute" | "hour" | "day";
  start_time?: string;
  end_time?: string;
  next_token?: string;
};

export type RequestOptions = {
  signal?: AbortSignal;
  /** Default: a random key for each submission. */
  idempotencyKey?: string;
  /** Total time for a request and its retries, in milliseconds; default 120,000. */
  timeoutMs?: number;
};

export type JobChange = {
  uuid: string;
  status: string;
  attempts: number;
  at: string;
};
