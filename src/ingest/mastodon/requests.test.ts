import { Headers } from "undici";
import { beforeEach, describe, expect, test } from "vitest";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { createMastodonRequests } from "./requests.ts";

type PlannedResponse = { status?: number; headers?: Record<string, string> } | "no answer";

let clock: ManualClock;
let plannedResponses: PlannedResponse[];
let sentAtMs: number[];

beforeEach(() => {
  clock = createManualClock(Date.UTC(2026, 10, 21));
  plannedResponses = [];
  sentAtMs = [];
});

const fetch = (async () => {
  sentAtMs.push(clock.elapsed());
  const next = plannedResponses.shift() ?? {};
  if (next === "no answer") throw new Error("connection refused");
  const { status = 200, headers = {} } = next;
  return { status, headers: new Headers(headers) };
}) as unknown as GuardedFetch;

const requests = (findToken: () => Promise<string | null> = async () => "token") =>
  createMastodonRequests({
    server: "https://mastodon.example",
    fetch,
    clock,
    random: () => 1,
    findToken,
    settings: {
      requestsPerMinute: 30,
      fetchTimeoutMs: 1_000,
      minBackoffMs: 1_000,
      maxBackoffMs: 60_000,
    },
  });

async function send(count: number): Promise<number[]> {
  const { get } = requests();
  let answered = 0;
  const sending = (async () => {
    for (; answered < count; answered += 1) {
      await get("/api/v1/statuses/1", new URLSearchParams(), new AbortController().signal);
    }
  })();
  for (let passed = 0; answered < count && passed < 3_600; passed += 1) await clock.advance(1_000);
  await sending;
  return sentAtMs;
}

const inMs = (ms: number): string => new Date(clock.now() + ms).toISOString();

describe("requests to the server", () => {
  test("requests to a Mastodon server are rate-limited", async () => {
    expect(await send(3)).toEqual([0, 2_000, 4_000]);
  });

  test("requests to a Mastodon server pause until the limit resets when half of it is used up", async () => {
    const headers = {
      "x-ratelimit-limit": "300",
      "x-ratelimit-remaining": "149",
      "x-ratelimit-reset": inMs(120_000),
    };
    plannedResponses = [{ headers }];
    expect(await send(2)).toEqual([0, 120_000]);
  });

  test("requests to a Mastodon server continue while more than half of the limit is left", async () => {
    const headers = {
      "x-ratelimit-limit": "300",
      "x-ratelimit-remaining": "151",
      "x-ratelimit-reset": inMs(120_000),
    };
    plannedResponses = [{ headers }];
    expect(await send(2)).toEqual([0, 2_000]);
  });

  test.each([
    ["a rate limit", { status: 429, headers: { "retry-after": "60" } }, 60_000],
    ["an implausible reset time", { status: 429, headers: { "x-ratelimit-reset": "x" } }, 2_000],
    ["an error", { status: 503 }, 2_000],
    ["no answer", "no answer", 2_000],
  ] as const)(
    "requests to a Mastodon server are repeated after %s",
    async (_what, answer, laterMs) => {
      plannedResponses = [answer];
      expect(await send(1)).toEqual([0, laterMs]);
    },
  );

  test("requests to a Mastodon server wait longer after each failure", async () => {
    plannedResponses = Array.from({ length: 5 }, () => ({ status: 500 }));
    expect(await send(1)).toEqual([0, 2_000, 4_000, 8_000, 16_000, 32_000]);
  });

  test("requests to a Mastodon server are not sent without a token, nor after an abort", async () => {
    const { signal } = new AbortController();
    const query = new URLSearchParams();
    const tokenless = requests(async () => null).get("/", query, signal);
    await expect(tokenless).rejects.toThrow("no usable user token for mastodon.example");
    const abortedSignal = AbortSignal.abort(new Error("over"));
    await expect(requests().get("/", query, abortedSignal)).rejects.toThrow("over");
    expect(sentAtMs).toEqual([]);
  });
});
