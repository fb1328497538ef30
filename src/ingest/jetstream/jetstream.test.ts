import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { coveredSpans } from "../../../testkit/archives/covered-spans.ts";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import {
  clock,
  commit,
  did,
  type Event,
  type FakeJetstream,
  postUri,
  secondUs,
  sendAll,
  startFakeJetstream,
  startTestStream,
  startUs,
} from "../../../testkit/upstreams/fake-jetstream.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Jetstream } from "./jetstream.ts";
import { defaultJetstreamSettings, type JetstreamSettings } from "./settings.ts";

let server: FakeJetstream;
let archive: MemoryArchive;
let ingest: Jetstream | null = null;
let accountsToRefresh: string[] = [];
const start = (settings: Partial<JetstreamSettings> = {}, time: Clock = clock): Jetstream => {
  const refreshAccount = (account: string) => accountsToRefresh.push(account);
  ingest = startTestStream(
    { archive, clock: time, refreshAccount },
    { urls: [server.url], ...settings },
  );
  return ingest;
};
const restart = async (settings: Partial<JetstreamSettings> = {}) => {
  await ingest?.stop();
  return start(settings);
};
const cut = () => {
  for (const socket of server.sockets) socket.terminate();
};
const covered = () => coveredSpans(archive.batches);

beforeEach(async () => {
  server = await startFakeJetstream();
  archive = createMemoryArchive();
  accountsToRefresh = [];
});
afterEach(async () => {
  await ingest?.stop();
  ingest = null;
  await server.close();
});

test("the stream stores posts, edits, deletes and handles", async () => {
  server.events.push(commit(startUs, "a"), commit(startUs + 1, "b"));
  const { state } = start();
  await archive.waitUntil(() => archive.posts.size === 2);
  server.send(commit(startUs + 2, "a", "update", "3mptbypcqzzzz"));
  await archive.waitUntil(() => archive.posts.get(postUri("a"))?.text === "update a");
  server.send(commit(startUs + 3, "b", "delete", "3mptbypcqzzzz"));
  await archive.waitUntil(() => archive.posts.size === 1);
  server.send({
    did,
    time_us: startUs + 4,
    kind: "identity",
    identity: { did, handle: "alice.example" },
  } as Event);
  await archive.waitUntil(() => archive.handles.get(did) === "alice.example");
  expect(state()).toMatchObject({
    status: "connected",
    host: "127.0.0.1",
    events: 5,
    posts: 3,
    deletes: 1,
    badFrames: 0,
    lastEventMs: startUs / 1000,
    lagMs: 60_000,
  });
});

test("a post that arrives after its deletion is passed to the archive in that order and stays deleted", async () => {
  server.events.push(commit(startUs, "a", "delete", "3mptbypcqzzzz"), commit(startUs + 1, "a"));
  start();
  await archive.waitUntil(() => archive.batches.flatMap(({ changes }) => changes).length === 2);
  expect(archive.batches.flatMap(({ changes }) => changes).map(({ kind }) => kind)).toEqual([
    "delete",
    "upsert",
  ]);
  expect(archive.posts.size).toBe(0);
});

test("the stream requests its collections from the start of the lookback, or without a cursor if there is none", async () => {
  start({ userAgent: "earshot/test" });
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  const query = new URL(server.requests[0]?.url ?? "", "ws://x").searchParams;
  expect(query.getAll("wantedCollections")).toEqual([
    "app.bsky.feed.post",
    "app.bsky.feed.like",
    "app.bsky.feed.repost",
    "app.bsky.actor.profile",
  ]);
  expect(query.get("maxMessageSizeBytes")).toBe(String(defaultJetstreamSettings.maxFrameBytes));
  expect(query.get("cursor")).toBe(String((clock.now() - 3_600_000) * 1000));
  expect(server.requests[0]?.headers["user-agent"]).toBe("earshot/test");
  await restart({ lookbackMs: 0 });
  await vi.waitFor(() => expect(server.requests).toHaveLength(2));
  expect(server.requests[1]?.url).not.toContain("cursor");
});

test("after a restart, the stream resumes 5 s before the last stored event", async () => {
  server.events.push(commit(startUs, "a"), commit(startUs + 20 * secondUs, "b"));
  start();
  await archive.waitUntil(() => archive.posts.size === 2);
  await restart();
  await vi.waitFor(() => expect(server.requests).toHaveLength(2));
  expect(server.requests[1]?.url).toContain(`cursor=${startUs + 15 * secondUs}`);
  server.send(commit(startUs + 21 * secondUs, "c"));
  await archive.waitUntil(() => archive.posts.size === 3);
  expect(archive.reports.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(3);
});

test("events repeated after a reconnection are not written again, and a deleted post stays deleted", async () => {
  server.events.push(
    commit(startUs, "a"),
    commit(startUs + 1, "b"),
    commit(startUs + 2, "a", "delete", "3mptbypcqzzzz"),
  );
  const { state } = start();
  await archive.waitUntil(() => archive.tombstones.size === 1);
  cut();
  await vi.waitFor(() => expect(state().events).toBe(6));
  server.send(commit(startUs + 3, "c"));
  await archive.waitUntil(() => archive.posts.has(postUri("c")));
  expect([...archive.posts.keys()]).toEqual([postUri("b"), postUri("c")]);
  expect(archive.batches.flatMap(({ changes }) => changes)).toHaveLength(4);
  expect(state()).toMatchObject({ reconnects: 1, posts: 3, deletes: 1 });
});

test("unreadable frames and events more than a day ahead are counted and skipped", async () => {
  server.serve = (socket) => {
    for (const frame of ["", "{", "[]", "null", '{"kind":"commit"}', Buffer.from([1, 2, 3])])
      socket.send(frame);
    socket.send(JSON.stringify(commit(startUs + 90_000 * secondUs, "far ahead")));
    sendAll(socket, [commit(startUs, "a")]);
  };
  const { state } = start();
  await archive.waitUntil(() => archive.posts.size === 1);
  expect(state()).toMatchObject({ badFrames: 7, events: 1, status: "connected" });
});

async function expectGapAfterOneSecond(): Promise<void> {
  const startMs = startUs / 1000;
  await vi.waitFor(() =>
    expect(covered()).toEqual([
      [startMs, startMs + 1_000],
      [startMs + 50_000, startMs + 51_000],
    ]),
  );
}

test.each([
  ["cannot be read", "{"],
  ["is more than a day ahead", JSON.stringify(commit(startUs + 90_000 * secondUs, "far ahead"))],
])("the coverage has a gap when an event %s", async (_, bad) => {
  const [a, b, c, d] = [0, 1, 50, 51].map((seconds, n) =>
    commit(startUs + seconds * secondUs, `post${n}`),
  );
  server.serve = (socket) => {
    for (const event of [a, b]) socket.send(JSON.stringify(event));
    socket.send(bad);
    for (const event of [c, d]) socket.send(JSON.stringify(event));
  };
  start();
  await archive.waitUntil(() => archive.posts.size === 4);
  await expectGapAfterOneSecond();
});

describe("an oversized event", () => {
  const frameLimit = { maxFrameBytes: 2_000 };
  const large = (timeUs: number) => ({ ...commit(timeUs, "large"), padding: "x".repeat(3_000) });

  test("an oversized event is skipped with a gap in the coverage, and the stream continues", async () => {
    server.events.push(
      commit(startUs, "a"),
      commit(startUs + secondUs, "b"),
      large(startUs + 2 * secondUs),
      commit(startUs + 50 * secondUs, "c"),
      commit(startUs + 51 * secondUs, "d"),
    );
    const { state } = start(frameLimit);
    await archive.waitUntil(() => archive.posts.size === 4);
    await expectGapAfterOneSecond();
    expect(state()).toMatchObject({ badFrames: 1, posts: 4, status: "connected" });
    cut();
    server.send(commit(startUs + 52 * secondUs, "e"));
    await archive.waitUntil(() => archive.posts.size === 5);
  });

  test("an oversized event is skipped even if it is the first", async () => {
    server.events.push(large(startUs), commit(startUs + secondUs, "a"));
    start({ ...frameLimit, lookbackMs: 61_000 });
    await archive.waitUntil(() => archive.posts.size === 1);
  });
});

test("the pauses double while reconnections only repeat known events", async () => {
  server.events.push(commit(startUs, "a"));
  server.serve = (socket, replay) => {
    sendAll(socket, replay);
    socket.close();
  };
  const pauses: number[] = [];
  const fastClock = {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => {
      if (ms > 2_000) pauses.push(ms);
      return systemClock.sleep(Math.min(ms, 1), signal);
    },
  };
  start({ minBackoffMs: 10_000, maxBackoffMs: 1e9, idleTimeoutMs: 3_000 }, fastClock);
  await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(5));
  const measuredPauses = pauses.slice(1, 6);
  expect(measuredPauses).toEqual(
    measuredPauses.map((_pause, index) => (measuredPauses[0] ?? 0) * 2 ** index),
  );
});

describe("a stream with several servers", () => {
  const requestCursor = (request: IncomingMessage | undefined) =>
    Number(new URL(request?.url ?? "", "ws://x").searchParams.get("cursor"));

  test("a stream with several servers reconnects to the one that works", async () => {
    const other = await startFakeJetstream();
    server.events.push(commit(startUs, "a"));
    const { state } = start({ urls: [server.url, other.url] });
    await archive.waitUntil(() => archive.posts.size === 1);
    for (const round of [1, 2, 3]) {
      cut();
      await vi.waitFor(() => expect(state()).toMatchObject({ events: round + 1 }));
    }
    expect(server.requests).toHaveLength(4);
    expect(other.requests).toHaveLength(0);
    await other.close();
  });

  test("a stream with several servers requests a minute of overlap from the next one, even after a restart", async () => {
    const other = await startFakeJetstream();
    server.events.push(commit(startUs, "a"));
    start({ urls: [server.url, other.url] });
    await archive.waitUntil(() => archive.posts.size === 1);
    await server.close();
    await vi.waitFor(() => expect(other.requests).toHaveLength(1));
    expect(requestCursor(other.requests[0])).toBe(startUs - 60 * secondUs);
    await restart({ urls: [other.url] });
    await vi.waitFor(() => expect(other.requests).toHaveLength(2));
    expect(requestCursor(other.requests[1])).toBe(startUs - 60 * secondUs);

    other.send(commit(startUs + secondUs, "b"));
    await archive.waitUntil(() => archive.posts.size === 2);
    await restart({ urls: [server.url, other.url] });
    await vi.waitFor(() => expect(other.requests).toHaveLength(3));
    expect(requestCursor(other.requests[2])).toBe(startUs + secondUs - 5 * secondUs);
    await ingest?.stop();
    await other.close();
  });
});

describe("coverage", () => {
  const startMs = startUs / 1000;

  test("stream coverage extends from the first event to the last, across a disconnection and a restart", async () => {
    server.events.push(commit(startUs, "a"), commit(startUs + secondUs, "b"));
    start();
    await archive.waitUntil(() => archive.posts.size === 2);
    cut();
    server.events.push(commit(startUs + 2 * secondUs, "c"));
    await archive.waitUntil(() => archive.posts.size === 3);
    await restart();
    server.events.push(commit(startUs + 3 * secondUs, "d"));
    cut();
    await archive.waitUntil(() => archive.posts.size === 4);
    expect(covered()).toEqual([[startMs, startMs + 3_000]]);
  });

  test("stream coverage has a gap when the server no longer has the resume position", async () => {
    server.events.push(commit(startUs, "a"), commit(startUs + secondUs, "b"));
    start();
    await archive.waitUntil(() => archive.posts.size === 2);
    await ingest?.stop();
    server.events = [commit(startUs + 30 * secondUs, "y"), commit(startUs + 31 * secondUs, "z")];
    start();
    await archive.waitUntil(() => archive.posts.size === 4);
    expect(covered()).toEqual([
      [startMs, startMs + 1_000],
      [startMs + 30_000, startMs + 31_000],
    ]);
  });

  test("stream coverage has a gap even if only one event follows it at first", async () => {
    server.events.push(commit(startUs, "a"), commit(startUs + secondUs, "b"));
    start();
    await archive.waitUntil(() => archive.posts.size === 2);
    await ingest?.stop();
    server.events = [commit(startUs + 30 * secondUs, "y")];
    start();
    await archive.waitUntil(() => archive.posts.size === 3);
    server.send(commit(startUs + 31 * secondUs, "z"));
    await archive.waitUntil(() => archive.posts.size === 4);
    expect(covered()).toEqual([
      [startMs, startMs + 1_000],
      [startMs + 30_000, startMs + 31_000],
    ]);
  });

  test("stream coverage and its checkpoint advance with events that are not posts", async () => {
    server.events.push(commit(startUs, "a"));
    start();
    await archive.waitUntil(() => archive.posts.size === 1);
    expect(covered()).toEqual([]);
    server.send({ did, time_us: startUs + secondUs, kind: "account", account: {} } as Event);
    await archive.waitUntil(() => covered().length === 1);
    expect(covered()).toEqual([[startMs, startMs + 1_000]]);
    const position = { timeUs: startUs + secondUs, host: new URL(server.url).host };
    expect(JSON.parse(archive.checkpoints.get("jetstream") ?? "")).toEqual(position);
  });
});

describe("an archive that rejects a batch", () => {
  test("a batch that the archive rejects is retried until it is accepted", async () => {
    let rejections = 3;
    archive.beforeWrite = () => {
      rejections -= 1;
      if (rejections >= 0) throw new Error("database or disk is full");
    };
    server.events.push(commit(startUs, "a"), commit(startUs + 1, "b"));
    start();
    await archive.waitUntil(() => archive.posts.size === 2);
    expect(rejections).toBeLessThan(0);
  });

  test("a rejected batch pauses the stream with the reason, and no checkpoint is written", async () => {
    archive.beforeWrite = () => {
      throw new Error("database or disk is full");
    };
    server.events.push(commit(startUs, "a"));
    const { state } = start({ minBackoffMs: 4_000, maxBackoffMs: 4_000 });
    await vi.waitFor(() =>
      expect(state()).toMatchObject({
        status: "paused",
        detail: "waiting for the archive: database or disk is full, next try in 3 s",
      }),
    );
    await ingest?.stop();
    expect(archive.checkpoints.size).toBe(0);
  });

  test("reading pauses while too many events wait for the archive, and batches stay within their limit", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    archive.beforeWrite = () => promise;
    server.events = Array.from({ length: 2_000 }, (_unused, index) =>
      commit(startUs + index, `k${index}`),
    );
    const { state } = start({ maxWaitingEvents: 50, batchEvents: 20 });
    await vi.waitFor(() => expect(state().status).toBe("paused"));
    resolve();
    await archive.waitUntil(() => archive.posts.size === 2_000);
    expect(Math.max(...archive.batches.map(({ changes }) => changes.length))).toBeLessThanOrEqual(
      20,
    );
    await vi.waitFor(() => expect(state().status).toBe("connected"));
  });
});

describe("a failing server", () => {
  test.each([
    [503, "service not ready: bootstrap in progress"],
    [426, "upgrade required"],
    [400, "bad wantedCollections"],
  ])("a server that returns %i is retried, then the next one is tried", async (status, body) => {
    const failingServer = await startFakeJetstream(() => [status, body]);
    const details = new Set<string>();
    server.events.push(commit(startUs, "a"));
    const { state } = start({
      urls: [failingServer.url, server.url],
      minBackoffMs: 100,
      maxBackoffMs: 100,
    });
    await vi.waitFor(
      () => {
        details.add(state().detail);
        expect([...details].join("\n")).toContain(
          `waiting for 127.0.0.1: HTTP ${status}: ${body}, next try in 1 s`,
        );
      },
      { interval: 5 },
    );
    await archive.waitUntil(() => archive.posts.size === 1);
    await failingServer.close();
  });

  test("a server that does not accept connections is reported", async () => {
    const closedServer = await startFakeJetstream();
    await closedServer.close();
    const { state } = start({ urls: [closedServer.url], minBackoffMs: 8_000, maxBackoffMs: 8_000 });
    await vi.waitFor(() =>
      expect(state()).toMatchObject({
        status: "waiting",
        detail: "waiting for 127.0.0.1: connect ECONNREFUSED, next try in 6 s",
      }),
    );
  });

  test("the stream reconnects when a server stops responding", async () => {
    server.events.push(commit(startUs, "a"));
    server.serve = (socket, replay, connection) => {
      sendAll(socket, replay);
      // A paused socket does not respond to pings.
      if (connection === 0) socket.pause();
    };
    const { state } = start({ idleTimeoutMs: 30 });
    await vi.waitFor(() => expect(state().reconnects).toBeGreaterThan(0));
    await vi.waitFor(() => expect(state().status).toBe("connected"));
  });
});

test("the stream writes pending events when it stops", async () => {
  server.events.push(commit(startUs, "a"), commit(startUs + 1, "b"));
  const { state, stop } = start({ batchMs: 3_600_000, quietBatchMs: 3_600_000 });
  await vi.waitFor(() => expect(state().events).toBe(2));
  expect(archive.posts.size).toBe(0);
  await stop();
  expect(archive.posts.size).toBe(2);
  expect(state()).toMatchObject({ status: "off" });
});
