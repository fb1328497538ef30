import { expect, test } from "vitest";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { GuardedClient } from "../../lib/guarded-fetch.ts";
import { findAccount } from "../../platforms/bluesky/find-account.ts";
import { createPoliteFetch, type PoliteFetchRequest } from "./polite-fetch.ts";

const nowMs = Date.UTC(2026, 0, 1);
const url = new URL("https://host.example/xrpc/some.method");

type Output = { status: number; headers?: Record<string, string> } | EarshotError;

function createTestFetch(output: readonly Output[], overrides: Partial<PoliteFetchRequest> = {}) {
  let elapsedMs = 0;
  const requestedMs: number[] = [];
  const clock: Clock = {
    now: () => nowMs + elapsedMs,
    elapsed: () => elapsedMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      elapsedMs += ms;
    },
  };
  const respond = async () => {
    const next = output[Math.min(requestedMs.length, output.length - 1)];
    requestedMs.push(elapsedMs);
    if (next === undefined || next instanceof EarshotError) throw next;
    return { ...next, headers: new Headers(next.headers), json: () => ({}) };
  };
  const fetch = Object.assign(respond, { stream: respond, close: async () => {} });
  const client = fetch as unknown as GuardedClient;
  const settings = { clock, random: () => 0, requestsPerSecond: 2 };
  return { polite: createPoliteFetch({ fetch: client, ...settings, ...overrides }), requestedMs };
}

const unreachable = new EarshotError("upstream_unreachable", "gone", { retryable: true });

test("requests to one host are limited per second without delaying those to others", async () => {
  const { polite, requestedMs } = createTestFetch([{ status: 200 }]);
  for (let count = 0; count < 4; count += 1) await polite.get(url);
  expect(requestedMs).toEqual([0, 500, 1_000, 1_500]);
  await polite.get(new URL("https://other.example/"));
  expect(requestedMs.at(-1)).toBe(1_500);
});

test("requests pause until the host's rate limit resets when it is nearly used up", async () => {
  const reset = String(nowMs / 1_000 + 60);
  const headers = { "ratelimit-remaining": "2", "ratelimit-reset": reset };
  const { polite, requestedMs } = createTestFetch([{ status: 200, headers }, { status: 200 }]);
  await polite.get(url);
  await polite.get(url);
  expect(requestedMs).toEqual([0, 60_000]);
});

test.each([
  ["in seconds", { "retry-after": "7" }, 7_000],
  ["as a date", { "retry-after": new Date(nowMs + 9_000).toUTCString() }, 9_000],
  ["as a reset time", { "ratelimit-reset": String(nowMs / 1_000 + 11) }, 11_000],
  ["as seconds until the reset", { "ratelimit-reset": "13" }, 13_000],
])("a request is retried after the wait that a 429 specifies %s", async (_how, headers, waitMs) => {
  const waits: string[] = [];
  const { polite, requestedMs } = createTestFetch([{ status: 429, headers }, { status: 200 }], {
    onWait: ({ host, waitMs: reported }) => waits.push(`${host} ${reported}`),
  });
  expect((await polite.get(url)).status).toBe(200);
  expect(requestedMs).toEqual([0, waitMs]);
  expect(waits).toEqual([`host.example ${waitMs}`]);
});

test("a handle is requested from its own host only once", async () => {
  const { polite, requestedMs } = createTestFetch([{ status: 404 }, unreachable]);
  const directory = {
    fetch: polite,
    appviewUrl: "https://appview.example",
    plcUrl: "https://plc.example",
    resolveTxt: async () => [],
  };
  await expect(findAccount("ann.example", directory)).rejects.toMatchObject({
    code: "account_unknown",
  });
  expect(requestedMs).toHaveLength(2);
});

test("a request fails without a retry if the host requires too long a wait", async () => {
  const { polite, requestedMs } = createTestFetch([
    { status: 429, headers: { "retry-after": "3600" } },
  ]);
  await expect(polite.get(url)).rejects.toMatchObject({
    code: "upstream_limited",
    retryable: true,
  });
  expect(requestedMs).toEqual([0]);
});

test("transient errors are retried with increasing pauses", async () => {
  const { polite, requestedMs } = createTestFetch([unreachable, { status: 503 }, { status: 200 }]);
  expect((await polite.get(url)).status).toBe(200);
  expect(requestedMs).toEqual([0, 500, 1_000]);
});

test("a persistent error is reported after five tries", async () => {
  const failed = createTestFetch([unreachable]);
  await expect(failed.polite.get(url)).rejects.toBe(unreachable);
  expect(failed.requestedMs).toHaveLength(5);
  const failing = createTestFetch([{ status: 500 }]);
  await expect(failing.polite.get(url)).rejects.toMatchObject({ code: "upstream_failed" });
  expect(failing.requestedMs).toHaveLength(5);
});

test("permanent errors are not retried", async () => {
  const refusal = new EarshotError("address_refused", "inside");
  const { polite, requestedMs } = createTestFetch([refusal]);
  await expect(polite.get(url)).rejects.toBe(refusal);
  expect(requestedMs).toHaveLength(1);
  expect((await createTestFetch([{ status: 404 }]).polite.get(url)).status).toBe(404);
});

test("a request with an aborted signal rejects with the signal's reason", async () => {
  const stop = new AbortController();
  const { polite } = createTestFetch([{ status: 503 }], { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(polite.get(url)).rejects.toThrow("stopped");
});
