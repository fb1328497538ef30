import { Headers } from "undici";
import { expect, test } from "vitest";
import { fetchedResponse } from "../../lib/fetched-response.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createMastodonConnections } from "./connection.ts";

const server = "https://one.example";

test("a connection that fails to open is no longer watched for silence", async () => {
  const clock = createManualClock();
  const sleepSignals: AbortSignal[] = [];
  const fetch = async (url: URL | string) =>
    fetchedResponse(new URL(url), { status: 404, headers: new Headers() }, Buffer.alloc(0));
  const stream = async (): Promise<never> => Promise.reject(new Error("nothing is streamed"));
  const client = Object.assign(fetch, { stream, close: async () => undefined });
  const connections = createMastodonConnections({
    link: {
      signal: new AbortController().signal,
      listen: async () => Promise.reject(new Error("no socket is left")),
      status: () => ({ status: "waiting", detail: "" }),
    },
    clock: {
      ...clock,
      sleep: (ms, signal) => {
        if (signal !== undefined) sleepSignals.push(signal);
        return clock.sleep(ms, signal);
      },
    },
    settings: {
      server,
      stream: "public",
      privateHosts: [],
      silenceMs: 60_000,
      idleTimeoutMs: 1_000,
      minBackoffMs: 1,
      maxBackoffMs: 1,
      batchEvents: 1,
      batchMs: 1,
      quietBatchMs: 1,
      maxWaitingEvents: 1,
      maxFrameBytes: 1,
      handshakeTimeoutMs: 1,
      fetchTimeoutMs: 1,
      maxResponseBytes: 1,
      userAgent: "earshot/test",
      requestsPerMinute: 60_000_000,
      catchUpStatuses: 1_000,
      recheckRecentMs: 86_400_000,
      recheckAgeMs: 7 * 86_400_000,
    },
    findToken: async () => "a-user-token",
    fetch: client,
    client,
  });
  await expect(connections.connect(() => undefined)).rejects.toThrow("no socket is left");
  expect(sleepSignals.map(({ aborted }) => aborted)).toEqual([true]);
});
