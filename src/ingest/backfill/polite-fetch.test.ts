import { expect, test } from "vitest";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { GuardedClient } from "../../lib/guarded-fetch.ts";
import { createPoliteFetch, type PoliteFetchRequest } from "./polite-fetch.ts";

const nowMs = Date.UTC(2026, 0, 1);
const url = new URL("https://host.example/xrpc/some.method");

type Output = { status: number; headers?: Record<string, string> } | EarshotError;

/** Responds from a list and repeats the last response; time passes only by waiting. */
function politely(output: readonly Output[], rest: Partial<PoliteFetchRequest> = {}) {
  let elapsedMs = 0;
  const askedMs: number[] = [];
  const clock: Clock = {
    now: () => nowMs + elapsedMs,
    elapsed: () => elapsedMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      elapsedMs += ms;
    },
  };
  const answer = async () => {
    const next = output[Math.min(askedMs.length, output.length - 1)];
    askedMs.push(elapsedMs);
    if (next === undefined || next instanceof EarshotError) throw next;
    return { ...next, headers: new Headers(next.headers), json: () => ({}) };
  };
  const fetch = Object.assign(answer, { stream: answer, close: async () => {} });
  const client = fetch as unknown as GuardedClient;
  const settings = { clock, random: () => 0, requestsPerSecond: 2 };
  return { polite: createPoliteFetch({ fetch: client, ...settings, ...rest }), askedMs };
}

const unreachable = new EarshotError("upstream_unreachable", "gone", { retryable: true });

test("no more requests go to one host than are allowed a second; others do not wait for it", async () => {
  const { polite, askedMs } = politely([{ status: 200 }]);
  for (let count = 0; count < 4; count += 1) await polite.get(url);
  expect(askedMs).toEqual([0, 500, 1_000, 1_500]);
  await polite.get(new URL("https://other.example/"));
  expect(askedMs.at(-1)).toBe(1_500);
});

test("a host whose allowance runs out is left alone until it has a new one", async () => {
  const reset = String(nowMs / 1_000 + 60);
  const headers = { "ratelimit-remaining": "2", "ratelimit-reset": reset };
  const { polite, askedMs } = politely([{ status: 200, headers }, { status: 200 }]);
  await polite.get(url);
  await polite.get(url);
  expect(askedMs).toEqual([0, 60_000]);
});

test.each([
  ["in seconds", { "retry-after": "7" }, 7_000],
  ["as a date", { "retry-after": new Date(nowMs + 9_000).toUTCString() }, 9_000],
  ["by the new allowance", { "ratelimit-reset": String(nowMs / 1_000 + 11) }, 11_000],
  ["by the seconds to a new allowance", { "ratelimit-reset": "13" }, 13_000],
])("a refused request is made again when the host says, %s", async (_how, headers, waitMs) => {
  const waits: string[] = [];
  const { polite, askedMs } = politely([{ status: 429, headers }, { status: 200 }], {
    onWait: ({ host, waitMs: reported }) => waits.push(`${host} ${reported}`),
  });
  expect((await polite.get(url)).status).toBe(200);
  expect(askedMs).toEqual([0, waitMs]);
  expect(waits).toEqual([`host.example ${waitMs}`]);
});

test("a host that asks for a longer wait than is worth it is given up", async () => {
  const { polite, askedMs } = politely([{ status: 429, headers: { "retry-after": "3600" } }]);
  await expect(polite.get(url)).rejects.toMatchObject({
    code: "upstream_limited",
    retryable: true,
  });
  expect(askedMs).toEqual([0]);
});

test("what a later try can mend is tried again, at growing distances", async () => {
  const { polite, askedMs } = politely([unreachable, { status: 503 }, { status: 200 }]);
  expect((await polite.get(url)).status).toBe(200);
  expect(askedMs).toEqual([0, 500, 1_000]);
});

test("after five tries the fault is told", async () => {
  const removed = politely([unreachable]);
  await expect(removed.polite.get(url)).rejects.toBe(unreachable);
  expect(removed.askedMs).toHaveLength(5);
  const failing = politely([{ status: 500 }]);
  await expect(failing.polite.get(url)).rejects.toMatchObject({ code: "upstream_failed" });
  expect(failing.askedMs).toHaveLength(5);
});

test("what no later try can mend is not tried again", async () => {
  const refused = new EarshotError("address_refused", "inside");
  const { polite, askedMs } = politely([refused]);
  await expect(polite.get(url)).rejects.toBe(refused);
  expect(askedMs).toHaveLength(1);
  expect((await politely([{ status: 404 }]).polite.get(url)).status).toBe(404);
});

test("a stop ends the waiting with its reason", async () => {
  const stop = new AbortController();
  const { polite } = politely([{ status: 503 }], { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(polite.get(url)).rejects.toThrow("stopped");
});
