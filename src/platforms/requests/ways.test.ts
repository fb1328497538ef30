import { expect, test } from "vitest";
import type { FetchOptions } from "../../lib/guarded-fetch.ts";
import type { CredentialKind } from "../credentials/credential.ts";
import { bearer, pooled, testPool } from "./sessions.test-support.ts";
import { credentialWay } from "./ways.ts";

const origin = "https://api.example";

/** A kind that renews its session before each request. */
const renewing: CredentialKind = {
  ...bearer,
  send: async ({ url, headers, signal }, _held, tools) => {
    await tools.fetch(new URL("/renew", url), { method: "POST" });
    return await tools.fetch(url, { headers, signal });
  },
};

test("a request that is given up ends at once, and the renewal on its way goes on for others", async () => {
  const asked: { path: string; options: FetchOptions | undefined }[] = [];
  // Never answers; ends with its signal alone.
  const fetch = async (url: URL | string, options?: FetchOptions): Promise<never> => {
    asked.push({ path: new URL(url).pathname, options });
    return await new Promise((_resolve, reject) => {
      options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
    });
  };
  const client = Object.assign(fetch, { stream: fetch, close: async () => undefined });
  const bounds = { fetch: client, timeoutMs: 1_000, maxAnswerBytes: 1_000 };
  const way = credentialWay(bounds, pooled("c1", origin, { kind: renewing }), testPool());
  const job = new AbortController();
  const sent = way.send({ url: new URL("/posts", origin), headers: {}, signal: job.signal });
  job.abort(new Error("the job was cancelled"));
  await expect(sent).rejects.toThrow("the job was cancelled");
  expect(asked).toEqual([
    { path: "/renew", options: { method: "POST", timeoutMs: 1_000, maxBytes: 1_000 } },
  ]);
});
