import { Headers } from "undici";
import { expect, test } from "vitest";
import { openCredentialBench } from "../../../testkit/upstreams/credentials.ts";
import { bearer, pooledCredential, testPool } from "../../../testkit/upstreams/sessions.ts";
import { EarshotError } from "../../lib/errors.ts";
import { fetchedResponse } from "../../lib/fetched-response.ts";
import type { FetchOptions } from "../../lib/guarded-fetch.ts";
import type { CredentialInUse, CredentialKind } from "../../platforms/credential.ts";
import type { CredentialPool } from "../credentials/pool.ts";
import { credentialAccess } from "./access-methods.ts";

const origin = "https://api.example";

/** Renews its session before each request. */
const renewingKind: CredentialKind = {
  ...bearer,
  send: async ({ url, headers, signal }, _inUse, tools) => {
    await tools.fetch(new URL("/renew", url), { method: "POST" });
    return await tools.fetch(url, { headers, signal });
  },
};

test("an aborted request ends immediately, and the pending renewal continues for others", async () => {
  const requests: { path: string; options: FetchOptions | undefined }[] = [];
  // The request ends only with its signal.
  const fetch = async (url: URL | string, options?: FetchOptions): Promise<never> => {
    requests.push({ path: new URL(url).pathname, options });
    return await new Promise((_resolve, reject) => {
      options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
    });
  };
  const client = Object.assign(fetch, { stream: fetch, close: async () => undefined });
  const bounds = { fetch: client, timeoutMs: 1_000, maxResponseBytes: 1_000 };
  const method = credentialAccess(
    bounds,
    pooledCredential("c1", origin, { kind: renewingKind }),
    testPool(),
  );
  const job = new AbortController();
  const response = method.send({ url: new URL("/posts", origin), headers: {}, signal: job.signal });
  job.abort(new Error("the job was cancelled"));
  await expect(response).rejects.toThrow("the job was cancelled");
  expect(requests).toEqual([
    { path: "/renew", options: { method: "POST", timeoutMs: 1_000, maxBytes: 1_000 } },
  ]);
});

test("a refusal that repeats the credential is redacted", async () => {
  const fetch = async (_url: URL | string, options?: FetchOptions) => {
    const output = JSON.stringify({ detail: `no ${options?.headers?.authorization}` });
    return fetchedResponse(
      new URL(origin),
      { status: 400, headers: new Headers() },
      Buffer.from(output),
    );
  };
  const stream = async (): Promise<never> => Promise.reject(new Error("nothing is streamed"));
  const client = Object.assign(fetch, { stream, close: async () => undefined });
  const bounds = { fetch: client, timeoutMs: 1_000, maxResponseBytes: 1_000 };
  const method = credentialAccess(bounds, pooledCredential("c1", origin), testPool());
  const { signal } = new AbortController();
  const response = await method.send({ url: new URL("/posts", origin), headers: {}, signal });
  expect(response.json()).toEqual({ detail: "no Bearer …" });
});

test("a refusal concerns the secret that was sent, even if it has been replaced, and is redacted", async () => {
  let secrets = { token: "secret-of-before" };
  let revision = 1;
  const fetch = async (_url: URL | string, options?: FetchOptions) => {
    secrets = { token: "secret-of-after" };
    revision = 2;
    const authorization = options?.headers?.authorization;
    throw new EarshotError("credential_refused", `401 to ${authorization}`, { status: 502 });
  };
  const client = Object.assign(fetch, { stream: fetch, close: async () => undefined });
  const bounds = { fetch: client, timeoutMs: 1_000, maxResponseBytes: 1_000 };
  const pooled = pooledCredential("c1", origin, { revision: () => revision });
  const credentialInUse = { ...pooled.credentialInUse, secrets: () => secrets };
  const refusals: [string, number, string][] = [];
  const pool: CredentialPool = {
    ...testPool(),
    quarantine: async (...args) => {
      refusals.push(args);
    },
  };
  const method = credentialAccess(bounds, { ...pooled, credentialInUse }, pool);
  const { signal } = new AbortController();
  const send = () => method.send({ url: new URL("/posts", origin), headers: {}, signal });
  await expect(send()).rejects.toThrow("401 to Bearer …");
  await expect(send()).rejects.toThrow("401 to Bearer …");
  expect(refusals).toEqual([
    ["c1", 1, "401 to Bearer …"],
    ["c1", 2, "401 to Bearer …"],
  ]);
});

test("a refusal of a session that was renewed for the request concerns the renewed one", async () => {
  let secrets = { token: "lapsed" };
  let revision = 1;
  const pooled = pooledCredential("c1", origin, { revision: () => revision });
  const credentialInUse: CredentialInUse = {
    ...pooled.credentialInUse,
    secrets: () => secrets,
    renew: async () => {
      secrets = { token: "renewed" };
      revision = 2;
      return secrets;
    },
  };
  const kind: CredentialKind = {
    ...bearer,
    send: async (_request, inUse) => {
      await inUse.renew(inUse.secrets(), async (present) => present);
      throw new EarshotError("credential_refused", "still 401", { status: 502 });
    },
  };
  const neverFetched = async (): Promise<never> => Promise.reject(new Error("nothing is fetched"));
  const client = Object.assign(neverFetched, {
    stream: neverFetched,
    close: async () => undefined,
  });
  const refusedRevisions: number[] = [];
  const pool: CredentialPool = {
    ...testPool(),
    quarantine: async (_id, refusedRevision) => {
      refusedRevisions.push(refusedRevision);
    },
  };
  const bounds = { fetch: client, timeoutMs: 1_000, maxResponseBytes: 1_000 };
  const method = credentialAccess(bounds, { ...pooled, kind, credentialInUse }, pool);
  const { signal } = new AbortController();
  const response = method.send({ url: new URL("/posts", origin), headers: {}, signal });
  await expect(response).rejects.toThrow("still 401");
  expect(refusedRevisions).toEqual([2]);
});

test("a credential replaced during a request and chosen by another job remains usable", async () => {
  const bench = openCredentialBench();
  const kind = { ...bearer, name: "app-token" };
  const pool = bench.pool({ kinds: [kind] });
  const choose = async () =>
    await pool.choose({
      platform: "x",
      accountId: "ann",
      access: "app",
      ownership: "any",
      bucket: null,
      host: null,
    });
  const fetch = async (url: URL | string) => {
    await bench.put("one", { secrets: { token: "replaced" } });
    expect((await choose())[0]?.credentialInUse.secrets()).toEqual({ token: "replaced" });
    return fetchedResponse(new URL(url), { status: 401, headers: new Headers() }, Buffer.from(""));
  };
  await bench.put("one");
  const [chosen] = await choose();
  if (chosen === undefined) throw new Error("no credential was chosen");
  const stream = async (): Promise<never> => Promise.reject(new Error("nothing is streamed"));
  const client = Object.assign(fetch, { stream, close: async () => undefined });
  const tools = { ...chosen.tools, fetch };
  const bounds = { fetch: client, timeoutMs: 1_000, maxResponseBytes: 1_000 };
  const method = credentialAccess(bounds, { ...chosen, tools }, pool);
  const { signal } = new AbortController();
  const response = method.send({ url: new URL("/posts", origin), headers: {}, signal });
  await expect(response).rejects.toMatchObject({ code: "credential_refused" });
  expect(await choose()).toHaveLength(1);
  await pool.stop();
  bench.close();
});
