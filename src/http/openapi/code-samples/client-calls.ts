export type ClientCall = {
  method: string;
  pathParameters?: readonly string[];
  /** Query parameters, or members of the body. */
  fields?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Variable for the result; absent if nothing is returned. */
  result?: string;
  isStream?: true;
  /** Parameters that the client adds itself. */
  impliedFields?: Readonly<Record<string, string | number>>;
  command?: string;
};

const query = "comet lang:en";
const searchFields = { query, max_results: 20 };
const id = ["id"];
const uuid = ["uuid"];

/** Calls by operationId. Other operations have a curl sample only. */
export const clientCalls: Readonly<Record<string, ClientCall>> = {
  search: {
    method: "search",
    fields: searchFields,
    result: "page",
    command: `search '${query}' --max-results 20`,
  },
  countPosts: {
    method: "counts",
    fields: { query, granularity: "hour" },
    result: "counts",
    command: `counts '${query}' --by hour`,
  },
  submitSearch: { method: "submit", fields: searchFields, result: "uuid" },
  readStatus: { method: "status", pathParameters: uuid, result: "status" },
  fetchResult: { method: "wait", pathParameters: uuid, result: "job", impliedFields: { wait: 10 } },
  fetchProof: { method: "proof", pathParameters: uuid, result: "proof" },
  cancelJob: { method: "cancel", pathParameters: uuid },
  listJobs: { method: "jobs", fields: { status: "done,error", limit: 20 }, result: "jobs" },
  watchJobs: {
    method: "events",
    fields: { uuid: "0f8fad5b-d9cb-469f-a165-70867728950e" },
    result: "event",
    isStream: true,
  },
  createWebhook: {
    method: "webhooks.create",
    fields: { url: "https://example.com/earshot", events: ["job.done", "job.error"] },
    result: "webhook",
  },
  listWebhooks: { method: "webhooks.list", result: "webhooks" },
  readWebhook: { method: "webhooks.get", pathParameters: id, result: "webhook" },
  deleteWebhook: { method: "webhooks.delete", pathParameters: id },
  enableWebhook: { method: "webhooks.enable", pathParameters: id, result: "webhook" },
  replaceWebhookSecret: { method: "webhooks.replaceSecret", pathParameters: id, result: "webhook" },
  testWebhook: { method: "webhooks.test", pathParameters: id, result: "delivery" },
  listDeliveries: { method: "webhooks.deliveries", pathParameters: id, result: "deliveries" },
  replayDelivery: {
    method: "webhooks.replay",
    pathParameters: [...id, "delivery"],
    result: "delivery",
  },
};
