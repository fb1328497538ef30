import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import { mountStreams } from "../../../testkit/emulators/mastodon/mounted-streams.ts";
import type { Differences } from "../../../testkit/emulators/mastodon/options.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import { emulatedStatus } from "../../../testkit/emulators/mastodon/statuses.ts";
import {
  type Streaming,
  type StreamingOptions,
  type StreamingServer,
  startStreamingServer,
} from "../../../testkit/emulators/mastodon/streaming.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { MastodonStreamSettings } from "./settings.ts";
import { type MastodonStream, startMastodonStream } from "./stream.ts";

const token = "a-user-token";
const isUserToken = (value: string): boolean => value === token;
const makeUri = (id: string): string => `https://other.example/users/ann/statuses/${id}`;

const eventually = (assertion: () => void): Promise<void> => vi.waitFor(assertion, { interval: 2 });

let aheadMs = 0;
const adjustableClock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
function advance(ms: number): void {
  aheadMs += ms;
}

let server: StreamingServer;
let archive: MemoryArchive;
let stream: MastodonStream | null = null;
let loggedLines: unknown[];

const serve = async (options: Partial<StreamingOptions> = {}): Promise<void> => {
  await server?.closeServer();
  server = await startStreamingServer({ isUserToken, ...options });
};

const start = (
  settings: Partial<MastodonStreamSettings> = {},
  request: { clock?: Clock; tokenOf?: () => Promise<string | null> } = {},
): MastodonStream => {
  stream = startMastodonStream({
    archive,
    clock: request.clock ?? adjustableClock,
    random: () => 0.5,
    findToken: request.tokenOf ?? (async () => token),
    log: {
      info: (...line) => loggedLines.push(line),
      warn: (...line) => loggedLines.push(line),
    },
    settings: {
      server: server.url,
      stream: "public",
      privateHosts: [],
      silenceMs: 600_000,
      idleTimeoutMs: 30_000,
      minBackoffMs: 1,
      maxBackoffMs: 4,
      batchEvents: 100,
      batchMs: 1,
      quietBatchMs: 1,
      maxWaitingEvents: 1_000,
      maxFrameBytes: 100_000,
      handshakeTimeoutMs: 5_000,
      fetchTimeoutMs: 5_000,
      maxResponseBytes: 100_000,
      userAgent: "earshot/test",
      requestsPerMinute: 60_000_000,
      catchUpStatuses: 1_000,
      recheckRecentMs: 86_400_000,
      recheckAgeMs: 7 * 86_400_000,
      ...settings,
    },
  });
  return stream;
};
const startConnected = async (...args: Parameters<typeof start>): Promise<MastodonStream> => {
  const running = start(...args);
  await eventually(() => expect(server.connectionCount()).toBe(1));
  await eventually(() => expect(running.state().status).toBe("connected"));
  return running;
};
const waitForConnections = (count: number): Promise<void> =>
  eventually(() => expect(server.requests.length).toBeGreaterThanOrEqual(count));
const texts = (): string[] => [...archive.posts.values()].map(({ text }) => text);

beforeEach(async () => {
  archive = createMemoryArchive();
  aheadMs = 0;
  loggedLines = [];
  server = await startStreamingServer({ isUserToken });
});
afterEach(async () => {
  await stream?.stop();
  stream = null;
  await server.closeServer();
});

describe.each(["websocket", "event-stream"] as const)(
  "the stream of a server by %s",
  (transport) => {
    beforeEach(() => serve({ transports: [transport] }));

    test("a Mastodon stream stores posts, edits with their counts, and deletions", async () => {
      const { state } = await startConnected();
      server.update(emulatedStatus("1"), emulatedStatus("2"), emulatedStatus("3"));
      await archive.waitUntil(() => archive.posts.size === 3);
      server.edit(
        emulatedStatus("1", {
          edited_at: "2026-11-21T11:00:00.000Z",
          content: "<p>edited</p>",
          favourites_count: 7,
          reblogs_count: 5,
        }),
      );
      server.remove("2");
      await archive.waitUntil(() => archive.posts.size === 2 && texts().includes("edited"));
      expect(archive.posts.get(makeUri("1"))).toMatchObject({
        platform: "mastodon",
        origin: "stream",
        counts: { likes: 7, reposts: 5 },
      });
      expect(archive.posts.has(makeUri("2"))).toBe(false);
      expect(state()).toMatchObject({
        status: "connected",
        transport,
        events: 5,
        posts: 4,
        deletes: 1,
        skipped: 0,
        badFrames: 0,
        gaps: 0,
      });
    });

    test("a Mastodon stream sends the token in a header, with a User-Agent, and never in the address", async () => {
      await startConnected();
      for (const request of server.requests) {
        expect(request).toMatchObject({
          authorization: `Bearer ${token}`,
          userAgent: "earshot/test",
        });
        expect(`${request.path}${request.query}`).not.toContain(token);
      }
    });

    test("a Mastodon stream stores all of 500 events that are sent at once", async () => {
      await startConnected();
      const flood = Array.from({ length: 500 }, (_, n) => emulatedStatus(`${n}`));
      server.update(...flood);
      await archive.waitUntil(() => archive.posts.size === 500);
    });

    test.each([
      ["text that is not JSON", "nonsense"],
      ["a list", []],
      ["a status without an author", { id: "1", visibility: "public" }],
      ["a status without an id", { ...emulatedStatus("1"), id: 12 }],
      ["a number", 3],
      ["a value that is nested too deep", nested(5_000)],
    ])(
      "a Mastodon stream counts %s in place of a status, and continues",
      async (_what, payload) => {
        const { state } = await startConnected();
        server.sendEvent("update", payload);
        server.update(emulatedStatus("2"));
        await archive.waitUntil(() => archive.posts.size === 1);
        expect(state()).toMatchObject({ badFrames: 1, events: 1, posts: 1 });
      },
    );

    test("an oversized event ends the Mastodon connection, and the stream continues after it", async () => {
      await startConnected();
      const before = server.requests.length;
      server.sendEvent("update", { ...emulatedStatus("1"), content: "x".repeat(200_000) });
      await waitForConnections(before + 1);
      server.update(emulatedStatus("2"));
      await archive.waitUntil(() => archive.posts.has(makeUri("2")));
    });

    test("a Mastodon stream reconnects after a disconnection or a stop, with a gap in the coverage", async () => {
      const { state } = await startConnected();
      server.update(emulatedStatus("1"));
      await archive.waitUntil(() => archive.posts.size === 1);
      advance(5);
      server.update(emulatedStatus("2"));
      await archive.waitUntil(() => archive.posts.size === 2);
      for (const end of ["cut", "stop"] as const) {
        const before = server.requests.length;
        server[end]();
        await waitForConnections(before + 1);
        await eventually(() => expect(state().status).toBe("connected"));
        await eventually(() => expect(server.connectionCount()).toBe(1));
        advance(5);
        server.update(emulatedStatus(`after-${end}`));
        await archive.waitUntil(() => archive.posts.has(makeUri(`after-${end}`)));
        advance(5);
        server.update(emulatedStatus(`later-${end}`));
        await archive.waitUntil(() => archive.posts.has(makeUri(`later-${end}`)));
      }
      expect(state()).toMatchObject({ reconnects: server.requests.length - 1, gaps: 2 });
      expect(mergedSpans(intervals())).toHaveLength(3);
      const [first] = intervals();
      expect(first).toMatchObject({
        platform: "mastodon",
        collection: "posts",
        account: null,
        source: `mastodon-stream:${new URL(server.url).host}`,
      });
    });
  },
);

describe("consent to be indexed", () => {
  test("neither posts by accounts without consent nor non-public posts are stored", async () => {
    const { state } = await startConnected();
    server.update(
      emulatedStatus("1", {}, { indexable: false }),
      emulatedStatus("2", {}, { indexable: undefined }),
      emulatedStatus("3", {}, { noindex: true }),
      emulatedStatus("4", { visibility: "unlisted" }),
      emulatedStatus("5", { visibility: "private" }),
      emulatedStatus("6", { reblog: emulatedStatus("60", {}, { id: "8", indexable: false }) }),
      emulatedStatus("7"),
    );
    await archive.waitUntil(() => archive.posts.size === 1);
    expect(archive.posts.has(makeUri("7"))).toBe(true);
    expect(state()).toMatchObject({ events: 7, posts: 1, skipped: 6 });
  });

  test("an account that withdraws consent is hidden, and shown after renewed consent", async () => {
    const account = `7@${new URL(server.url).host}`;
    await startConnected();
    server.update(emulatedStatus("1"));
    await archive.waitUntil(() => archive.posts.size === 1);
    server.update(emulatedStatus("2", {}, { indexable: false }));
    await archive.waitUntil(() => archive.statuses.get(account) === "opted-out");
    server.update(emulatedStatus("3"));
    await archive.waitUntil(() => archive.statuses.get(account) === "active");
  });

  test("an account is hidden when its server no longer reports consent", async () => {
    const account = `7@${new URL(server.url).host}`;
    await startConnected();
    server.update(emulatedStatus("1"));
    await archive.waitUntil(() => archive.posts.size === 1);
    server.update(emulatedStatus("2", {}, { indexable: undefined }));
    await archive.waitUntil(() => archive.statuses.get(account) === "opted-out");
  });

  test("a server whose posts must not be stored is reported in the state and the log", async () => {
    const { state } = await startConnected();
    const withoutConsent = (n: number) => emulatedStatus(`${n}`, {}, { indexable: undefined });
    server.update(...Array.from({ length: 99 }, (_, n) => withoutConsent(n)));
    await eventually(() => expect(state().skipped).toBe(99));
    expect(state().detail).not.toContain("no posts stored");
    server.update(withoutConsent(100), withoutConsent(101));
    await eventually(() => expect(state().skipped).toBe(101));
    expect(state().detail).toContain("no posts stored");
    const warnings = loggedLines.filter((line) => JSON.stringify(line).includes("no posts stored"));
    expect(warnings).toHaveLength(1);
    server.update(emulatedStatus("102"));
    await archive.waitUntil(() => archive.posts.size === 1);
    expect(state().detail).not.toContain("no posts stored");
  });

  test("an edit after which a post must not be indexed deletes it, and only a later edit restores it", async () => {
    const edited = (hour: number) => ({ edited_at: `2026-11-21T${hour}:00:00.000Z` });
    await startConnected();
    server.update(emulatedStatus("1"));
    await archive.waitUntil(() => archive.posts.size === 1);
    server.edit(emulatedStatus("1", edited(12), { indexable: false }));
    await archive.waitUntil(() => archive.posts.size === 0);
    server.edit(emulatedStatus("1", edited(11)), emulatedStatus("1", edited(13)));
    await archive.waitUntil(() => archive.posts.size === 1);
    expect(archive.posts.get(makeUri("1"))?.revision).toContain("T13:");
  });

  test("a status update without an edit updates the counts", async () => {
    await startConnected();
    server.update(emulatedStatus("1"));
    await archive.waitUntil(() => archive.posts.size === 1);
    for (const favourites of [3, 2]) {
      server.edit(emulatedStatus("1", { favourites_count: favourites }));
      await archive.waitUntil(() => archive.posts.get(makeUri("1"))?.counts.likes === favourites);
      advance(1);
    }
  });

  test("events unrelated to posts are skipped", async () => {
    const { state } = await startConnected();
    server.sendEvent("filters_changed", "");
    server.sendEvent("announcement", { id: "1" });
    server.sendEvent("an_event_to_come", "{");
    server.update(emulatedStatus("1"));
    await archive.waitUntil(() => archive.posts.size === 1);
    expect(state()).toMatchObject({ events: 4, badFrames: 0 });
  });
});

describe("the connection to a server", () => {
  test("the connection falls back to server-sent events if the server has no WebSocket, and continues to use them", async () => {
    await serve({ transports: ["event-stream"] });
    await startConnected();
    server.cut();
    await waitForConnections(3);
    expect(server.requests.map(({ transport }) => transport)).toEqual([
      "websocket",
      "event-stream",
      "event-stream",
    ]);
  });

  test.each([
    ["public", "/api/v1/streaming", "?stream=public"],
    ["public:local", "/api/v1/streaming", "?stream=public%3Alocal"],
  ] as const)("the connection requests the stream %s by name", async (name, path, query) => {
    await startConnected({ stream: name });
    expect(server.requests[0]).toMatchObject({ path, query });
    server.update(emulatedStatus("1", {}, { acct: "ann" }), emulatedStatus("2"));
    await archive.waitUntil(() => archive.posts.size >= 1);
    expect(archive.posts.has(makeUri("2"))).toBe(name === "public");
  });

  test("a connection by server-sent events requests the stream by its path", async () => {
    await serve({ transports: ["event-stream"] });
    await startConnected({ stream: "public:remote" });
    expect(server.requests.at(-1)?.path).toBe("/api/v1/streaming/public/remote");
  });

  test("the connection reports a refused token without the server's text, and reads the token again", async () => {
    const tokens = ["echoed-secret", token];
    const { state } = start({}, { tokenOf: async () => tokens.shift() ?? token });
    await eventually(() => expect(server.connectionCount()).toBe(1));
    expect(server.requests.map(({ transport }) => transport)).toEqual(["websocket", "websocket"]);
    expect(JSON.stringify(loggedLines)).toContain("HTTP 401: 127.0.0.1");
    expect(JSON.stringify([loggedLines, state()])).not.toMatch(/echoed-secret|Invalid access/);
  });

  test("the connection waits without a token, and reports what is missing", async () => {
    let currentToken: string | null = null;
    const { state } = start({ minBackoffMs: 20 }, { tokenOf: async () => currentToken });
    await eventually(() => expect(state().detail).toContain("no usable user token for 127.0.0.1"));
    expect(state().status).toBe("waiting");
    expect(server.requests).toEqual([]);
    currentToken = token;
    await eventually(() => expect(server.connectionCount()).toBe(1));
  });

  test("the connection retries an unreachable server until it responds", async () => {
    await server.takeDown();
    const { state } = start();
    await eventually(() => expect(state().status).toBe("waiting"));
    await server.bringUp();
    await eventually(() => expect(server.connectionCount()).toBe(1));
  });

  test("the connection calls another host only at a public address", async () => {
    const other = await startStreamingServer({ isUserToken });
    server.instance = { configuration: { urls: { streaming: other.url.replace("http", "ws") } } };
    const { state } = start();
    await eventually(() => expect(state().detail).toContain("not a public address"));
    expect(other.requests).toEqual([]);
    await stream?.stop();
    await startConnectedTo(other, { privateHosts: [other.url] });
    await other.closeServer();
  });
});

describe("a server of compatible software", () => {
  let other: MastodonEmulator;
  let streams: Streaming;
  const serveOther = async (differences: Partial<Differences>): Promise<void> => {
    other = await startMastodonEmulator({ dialect: "gotosocial-like", differences });
    streams = mountStreams(other);
    const { id } = other.network.addAccount({ username: "zoe" });
    const userToken = other.addToken({ accountId: id }).token;
    start({ server: other.url }, { tokenOf: async () => userToken });
    await eventually(() => expect(streams.connectionCount()).toBe(1));
  };
  afterEach(async () => {
    await stream?.stop();
    streams.close();
    await other.close();
  });

  test("a server of compatible software is followed with ids that are not numbers, and a wss:// address", async () => {
    await serveOther({ noIndexable: false });
    const { network } = other;
    const { id: accountId } = network.addAccount({ username: "ann", domain: "other.example" });
    const { id } = network.addStatus({ accountId, text: "a river" });
    expect(id).toMatch(/^[0-9A-Z]{26}$/);
    await archive.waitUntil(() => archive.posts.size === 1);
    expect([...archive.posts.values()][0]?.userId).toBe(`${accountId}@${other.host}`);
    network.deleteStatus(id);
    await archive.waitUntil(() => archive.posts.size === 0);
  });

  test("a server of compatible software yields nothing if it does not report consent", async () => {
    await serveOther({});
    const { id: accountId } = other.network.addAccount({ username: "ann" });
    other.network.addStatus({ accountId, text: "a river" });
    await eventually(() => expect(stream?.state().skipped).toBe(1));
    expect(archive.posts.size).toBe(0);
  });
});

test("the stream reconnects after too long without an event, and heartbeats do not count", async () => {
  const clock = createManualClock();
  const { state } = await startConnected({ silenceMs: 60_000, minBackoffMs: 1_000 }, { clock });
  await clock.advance(59_000);
  server.thump();
  expect(server.requests).toHaveLength(1);
  await clock.advance(1_000);
  await eventually(() => expect(state().detail).toContain("no event for 60 s"));
  await clock.advance(1_000);
  await eventually(() => expect(server.requests).toHaveLength(2));
});

test("reconnecting to a quiet server does not back off", async () => {
  const clock = createManualClock();
  const pauses = { minBackoffMs: 1_000, maxBackoffMs: 30_000 };
  const { state } = await startConnected({ silenceMs: 60_000, ...pauses }, { clock });
  for (let round = 1; round <= 4; round += 1) {
    await clock.advance(60_000);
    await eventually(() => expect(state().reconnects).toBe(round));
    await clock.advance(1_000);
    await waitForConnections(round + 1);
    await eventually(() => expect(state().status).toBe("connected"));
  }
});

test("events beyond the buffer limit stay at the server until the archive accepts more", async () => {
  let isFull = true;
  let tries = 0;
  archive.beforeWrite = () => {
    tries += 1;
    if (isFull) throw new Error("the disk is full");
  };
  await serve({ transports: ["event-stream"] });
  const { state } = await startConnected({ maxWaitingEvents: 50, batchEvents: 10 });
  const many = (round: number) =>
    Array.from({ length: 100 }, (_, n) =>
      emulatedStatus(`${round}-${n}`, { spoiler_text: "x".repeat(5_000) }),
    );
  for (let round = 0; round < 5; round += 1) server.update(...many(round));
  await eventually(() => expect(state().status).toBe("paused"));
  const before = tries;
  await eventually(() => expect(tries).toBeGreaterThan(before + 10));
  expect(state().events).toBeLessThan(200);
  isFull = false;
  await archive.waitUntil(() => archive.posts.size === 500);
});

test("the stream waits with pending events while the archive rejects writes", async () => {
  let isFull = true;
  archive.beforeWrite = () => {
    if (isFull) throw new Error("the disk is full");
  };
  const { state } = await startConnected();
  server.update(emulatedStatus("1"));
  await eventually(() => expect(state()).toMatchObject({ status: "paused", waitingEvents: 3 }));
  expect(state().detail).toContain("the disk is full");
  isFull = false;
  await archive.waitUntil(() => archive.posts.size === 1);
});

const startConnectedTo = async (
  at: StreamingServer,
  settings: Partial<MastodonStreamSettings>,
): Promise<void> => {
  start(settings);
  await eventually(() => expect(at.connectionCount()).toBe(1));
};

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const intervals = () => archive.batches.flatMap((batch) => batch.coverage ?? []);

function mergedSpans(spans: readonly { fromMs: number; toMs: number }[]): { toMs: number }[] {
  const merged: { toMs: number }[] = [];
  for (const { fromMs, toMs } of spans) {
    const last = merged.at(-1);
    if (last !== undefined && last.toMs >= fromMs) last.toMs = toMs;
    else merged.push({ toMs });
  }
  return merged;
}
