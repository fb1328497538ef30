import { createInterface } from "node:readline";
import {
  Earshot,
  EarshotConnectionError,
  EarshotError,
  type JobChange,
  type PostRecord,
  verifyWebhook,
} from "../../clients/typescript/src/index.ts";

/** Exchanges JSON objects, one per line (driven-client.ts). */
const { EARSHOT_URL: url = "", EARSHOT_API_KEY: key = "" } = process.env;
const earshot = new Earshot({ url, key, maxRetries: 12 });

type Call = { id: number; name: keyof typeof operations; args: never };

type WebhooksCall = {
  method: keyof Earshot["webhooks"];
  ids?: string[];
  params?: object[];
};

const operations = {
  search: (params: object) => earshot.search(params),
  searchAll: async ({ params, limit }: { params: object; limit?: number }) => {
    const records: PostRecord[] = [];
    const options = limit === undefined ? {} : { limit };
    for await (const record of earshot.searchAll(params, options)) records.push(record);
    return records;
  },
  submit: (params: object) => earshot.submit(params),
  wait: ({ uuid, timeoutMs }: { uuid: string; timeoutMs?: number }) =>
    earshot.wait(uuid, timeoutMs === undefined ? {} : { timeoutMs }),
  status: ({ uuid }: { uuid: string }) => earshot.status(uuid),
  cancel: async ({ uuid }: { uuid: string }) => (await earshot.cancel(uuid)) ?? null,
  proof: ({ uuid }: { uuid: string }) => earshot.proof(uuid),
  webhooks: async ({ method, ids = [], params = [] }: WebhooksCall) => {
    const call = earshot.webhooks[method] as (...args: unknown[]) => Promise<unknown>;
    return (await call.apply(earshot.webhooks, [...ids, ...params])) ?? null;
  },
  counts: (params: { query: string }) => earshot.counts(params),
  eventsUntil: async ({ uuids }: { uuids: string[] }) => {
    const pendingUuids = new Set(uuids);
    const endedJobs: JobChange[] = [];
    for await (const { change } of earshot.events({ lastEventId: "0" })) {
      if (!["done", "error", "cancelled"].includes(change.status)) continue;
      if (!pendingUuids.delete(change.uuid)) continue;
      endedJobs.push(change);
      if (pendingUuids.size === 0) return endedJobs;
    }
    return endedJobs;
  },
  watch: async ({ uuid }: { uuid: string }) => {
    const states: string[] = [];
    for await (const { change } of earshot.events({ uuid })) states.push(change.status);
    return states;
  },
  verifyWebhook: ({
    secret,
    headers,
    body,
  }: {
    secret: string;
    headers: Record<string, string>;
    body: string;
  }) => verifyWebhook(secret, headers, body),
};

function errorFields(error: unknown): object {
  if (error instanceof EarshotError) {
    const { code, status, message, errors, uuid } = error;
    return { kind: "refused", code, status, message, errors, uuid };
  }
  if (error instanceof EarshotConnectionError)
    return { kind: "connection", message: error.message };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { kind: name === "TimeoutError" ? "timeout" : "other", message };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, name, args } = JSON.parse(line) as Call;
  const run = operations[name] as (args: never) => Promise<unknown>;
  run(args).then(
    (value) => process.stdout.write(`${JSON.stringify({ id, value })}\n`),
    (error: unknown) =>
      process.stdout.write(`${JSON.stringify({ id, error: errorFields(error) })}\n`),
  );
}
