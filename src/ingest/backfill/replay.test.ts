import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type JetstreamServer,
  startJetstreamServer,
} from "../../../testkit/upstreams/jetstream-server.ts";
import {
  type ArchivedRow,
  type ReplayServer,
  startReplayServer,
} from "../../../testkit/upstreams/replay-server.ts";
import type { Archive, CoverageInterval } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedClient } from "../../lib/guarded-fetch.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { openNetworkReplay } from "./network-replay.ts";
import { createPoliteFetch } from "./polite-fetch.ts";
import { type ReplayRequest, type ReplaySummary, replay } from "./replay.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const hourMs = 3_600_000;
const oldMs = Date.now() - 100 * hourMs;
const lateMs = Date.now() - hourMs;

let dataDir: string;
let archive: Archive;
let stream: JetstreamServer;
let server: ReplayServer;
let fetch: GuardedClient;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-replay-"));
  archive = await openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 1_000,
    countDelayMs: 1,
    detectLanguage: "off",
    clock: systemClock,
  });
  stream = await startJetstreamServer();
  server = await startReplayServer();
  const limits = { timeoutMs: 5_000, maxBytes: 1_000_000, maxRedirects: 3 };
  const guard = createGuard([server.url]);
  fetch = createGuardedFetch({ guard, userAgent: "earshot-test/1", ...limits });
});

afterEach(async () => {
  await fetch.close();
  await stream.close();
  await server.close();
  await archive.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function request(
  span: ReplayRequest["span"],
  overrides: Partial<ReplayRequest> = {},
): ReplayRequest {
  const polite = createPoliteFetch({
    fetch,
    clock: systemClock,
    random: () => 0,
    requestsPerSecond: 1_000,
  });
  return {
    archive,
    clock: systemClock,
    random: Math.random,
    span,
    followed: ["posts", "likes", "reposts", "profiles"],
    lookbackMs: 36 * hourMs,
    liveSlackMs: 10_000,
    stream: {
      guard: createGuard([stream.url]),
      urls: [stream.url],
      userAgent: "earshot-test/1",
      handshakeTimeoutMs: 5_000,
      idleTimeoutMs: 5_000,
      maxFrameBytes: 1_000_000,
      signal: new AbortController().signal,
    },
    network: openNetworkReplay(polite, { url: server.url, token: null }),
    networkHost: "archive.example",
    ...overrides,
  };
}

const record = (text: string, atMs: number) => ({
  $type: "app.bsky.feed.post",
  text,
  createdAt: new Date(atMs).toISOString(),
});
const makeUri = (rkey: string) => `at://${did}/app.bsky.feed.post/${rkey}`;
const makeLike = (rkey: string) => ({
  $type: "app.bsky.feed.like",
  subject: { uri: makeUri(rkey) },
});

const commit = (atMs: number, collection: string, rkey: string, body: object) => ({
  did,
  time_us: atMs * 1_000,
  kind: "commit",
  commit: { rev: "3kaaaaaaaaaaa", operation: "create", collection, rkey, record: body },
});

const post = (atMs: number, rkey: string) =>
  commit(atMs, "app.bsky.feed.post", rkey, record(`post ${rkey}`, atMs));
const like = (atMs: number, rkey: string, of: string) =>
  commit(atMs, "app.bsky.feed.like", rkey, makeLike(of));

let seq = 0;
const row = (atMs: number, rkey: string, overrides: Partial<ArchivedRow> = {}): ArchivedRow => ({
  seq: ++seq,
  witnessedUs: atMs * 1_000,
  kind: 1,
  did,
  collection: "app.bsky.feed.post",
  rkey,
  rev: "3kaaaaaaaaaaa",
  payload: record(`post ${rkey}`, atMs),
  ...overrides,
});
const likeRow = (atMs: number, rkey: string, of: string): ArchivedRow =>
  row(atMs, rkey, { collection: "app.bsky.feed.like", payload: makeLike(of) });

const getCoverage = (fromMs: number, toMs: number): CoverageInterval[] =>
  (["posts", "likes", "reposts"] as const).map((collection) => ({
    platform: "bluesky",
    collection,
    account: null,
    source: "jetstream",
    fromMs,
    toMs,
  }));

async function intervals(): Promise<string[]> {
  const platforms = await archive.coverage();
  return platforms
    .flatMap((platform) => platform.intervals)
    .map(({ collection, fromMs, toMs }) => `${collection} ${fromMs}..${toMs}`)
    .sort();
}

async function visiblePosts(): Promise<{ Content: string; likes: number | null }[]> {
  const { positions } = await archive.search({
    plan: { kind: "all" },
    platforms: ["bluesky"],
    fromMs: null,
    toMs: null,
    after: null,
    limit: 500,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  return (await archive.records(positions)).records.map((text) => {
    const { Content, Metadata } = JSON.parse(text);
    return { Content, likes: Metadata.public_metrics.like_count };
  });
}

const texts = async () => (await visiblePosts()).map(({ Content }) => Content).sort();

async function waitForCounts(): Promise<void> {
  while ((await archive.stats()).waitingCounts > 0) await systemClock.sleep(5);
}

describe("a gap within the stream servers' lookback", () => {
  test("a gap within the stream servers' lookback is closed by replay, which merges two intervals into one", async () => {
    await archive.write({ changes: [], coverage: getCoverage(lateMs - 1_000, lateMs) });
    await archive.write({ changes: [], coverage: getCoverage(lateMs + 1_000, lateMs + 5_000) });
    stream.publish(post(lateMs - 10, "before"));
    stream.publish(post(lateMs + 10, "within"));
    stream.publish(like(lateMs + 20, "one", "within"));
    stream.publish(post(lateMs + 990, "last"));
    stream.publish(post(lateMs + 3_000, "behind"));
    const summary = await replay(request("gaps"));
    expect(summary).toMatchObject({ posts: 2, reactions: 1, missing: [] });
    expect(summary.parts).toEqual([
      { by: "stream", span: { fromMs: lateMs, toMs: lateMs + 1_000 } },
    ]);
    expect(await texts()).toEqual(["post last", "post within"]);
    const mergedSpan = `${lateMs - 1_000}..${lateMs + 5_000}`;
    expect(await intervals()).toEqual([
      `likes ${mergedSpan}`,
      `posts ${mergedSpan}`,
      `reposts ${mergedSpan}`,
    ]);
    expect(server.requests).toEqual([]);
  });

  test("a gap within the lookback stays open where a server starts later than requested", async () => {
    await archive.write({ changes: [], coverage: getCoverage(lateMs - 1_000, lateMs) });
    await archive.write({ changes: [], coverage: getCoverage(lateMs + 1_000, lateMs + 5_000) });
    stream.publish(post(lateMs + 400, "first"));
    stream.publish(post(lateMs + 3_000, "behind"));
    const { missing } = await replay(request("gaps"));
    expect(missing).toEqual([{ fromMs: lateMs, toMs: lateMs + 400 }]);
    expect(await texts()).toEqual(["post first"]);
  });

  test("a gap within the lookback stays open when no server has any events in it", async () => {
    await archive.write({ changes: [], coverage: getCoverage(lateMs - 1_000, lateMs) });
    await archive.write({ changes: [], coverage: getCoverage(lateMs + 1_000, lateMs + 5_000) });
    stream.publish(post(lateMs + 3_000, "behind"));
    const { missing } = await replay(request("gaps"));
    expect(missing).toEqual([{ fromMs: lateMs, toMs: lateMs + 1_000 }]);
  });

  test("replay of a gap within the lookback ends in bounded time if the server is idle, and the gap stays open", async () => {
    await archive.write({ changes: [], coverage: getCoverage(lateMs - 1_000, lateMs) });
    await archive.write({ changes: [], coverage: getCoverage(lateMs + 1_000, lateMs + 5_000) });
    const clock = createManualClock(Date.now());
    const defaults = request("gaps", { clock });
    const running = replay({
      ...defaults,
      stream: { ...defaults.stream, idleTimeoutMs: 10 * hourMs },
    });
    let summary: ReplaySummary | null = null;
    void running.then((ended) => {
      summary = ended;
    });
    const startMs = clock.elapsed();
    await vi.waitFor(
      async () => {
        if (stream.connections() > 0) await clock.advance(1_000);
        expect(summary).not.toBeNull();
      },
      { interval: 5, timeout: 10_000 },
    );
    expect(summary).toMatchObject({ missing: [{ fromMs: lateMs, toMs: lateMs + 1_000 }] });
    expect(clock.elapsed() - startMs).toBeLessThanOrEqual(60_000);
    expect(await intervals()).toHaveLength(6);
  });

  test("replay counts only reactions in the collection that was not covered", async () => {
    const [posts, likes] = getCoverage(lateMs - 1_000, lateMs + 5_000);
    const reposts = getCoverage(lateMs - 1_000, lateMs)[2];
    const later = getCoverage(lateMs + 1_000, lateMs + 5_000)[2];
    const coverage = [posts, likes, reposts, later].filter((one) => one !== undefined);
    await archive.write({ changes: [], coverage });
    stream.publish(post(lateMs - 10, "before"));
    stream.publish(post(lateMs + 10, "within"));
    stream.publish(like(lateMs + 20, "one", "within"));
    stream.publish(commit(lateMs + 30, "app.bsky.feed.repost", "two", makeLike("within")));
    stream.publish(post(lateMs + 3_000, "behind"));
    expect(await replay(request("gaps"))).toMatchObject({ reactions: 1 });
    await waitForCounts();
    expect(await visiblePosts()).toEqual([{ Content: "post within", likes: null }]);
  });

  test("replay resumes after a disconnection without duplicates", async () => {
    await archive.write({ changes: [], coverage: getCoverage(lateMs - 1_000, lateMs) });
    await archive.write({ changes: [], coverage: getCoverage(lateMs + 1_000, lateMs + 5_000) });
    stream.publish(post(lateMs - 10, "before"));
    stream.publish(post(lateMs + 10, "within"));
    stream.publish(like(lateMs + 20, "one", "within"));
    let isCut = false;
    const running = replay(
      request("gaps", {
        onProgress: () => {
          if (isCut) return;
          isCut = true;
          stream.cut();
          stream.publish(post(lateMs + 3_000, "behind"));
        },
      }),
    );
    expect(await running).toMatchObject({ posts: 1, reactions: 1, missing: [] });
    expect(stream.connections()).toBeGreaterThan(1);
  });
});

test("an aborted replay preserves its progress, rejects with the reason, and resumes", async () => {
  await archive.write({ changes: [], coverage: getCoverage(lateMs - 1_000, lateMs) });
  await archive.write({ changes: [], coverage: getCoverage(lateMs + 60_000, lateMs + 65_000) });
  stream.publish(post(lateMs - 10, "before"));
  stream.publish(post(lateMs + 30_000, "within"));
  const stop = new AbortController();
  const defaults = request("gaps");
  const running = replay({
    ...defaults,
    stream: { ...defaults.stream, signal: stop.signal },
    onProgress: () => stop.abort(new Error("stopped")),
  });
  await expect(running).rejects.toThrow("stopped");
  expect(await texts()).toEqual([]);
  stream.publish(post(lateMs + 40_000, "later"));
  stream.publish(post(lateMs + 63_000, "behind"));
  const summary = await replay(request("gaps"));
  expect(summary).toMatchObject({ missing: [] });
  expect(summary.parts[0]?.span.fromMs).toBe(lateMs + 29_000);
  expect(await texts()).toEqual(["post later", "post within"]);
});

describe("a gap beyond the lookback", () => {
  function fillReplayArchive(): void {
    server.segments = [
      [[row(oldMs - 5_000, "before"), row(oldMs + 10, "first")]],
      [
        [row(oldMs + 20, "second"), likeRow(oldMs + 30, "one", "second")],
        [row(oldMs + 40, "gone"), row(oldMs + 50, "gone", { kind: 3, rev: "3kbbbbbbbbbbb" })],
      ],
      [[row(oldMs + 60, "third"), row(oldMs + 5_000, "behind")]],
    ];
  }

  test.each([true, false])(
    "a gap beyond the lookback is replayed from a replay archive (plans blocks: %s)",
    async (hasBlockPlans) => {
      fillReplayArchive();
      server.hasBlockPlans = hasBlockPlans;
      server.entriesPerPage = 2;
      const span = { fromMs: oldMs, toMs: oldMs + 1_000 };
      const summary = await replay(request(span));
      expect(summary).toMatchObject({
        posts: 4,
        deletes: 1,
        reactions: 1,
        missing: [],
        badEvents: 0,
      });
      expect(summary.parts).toEqual([{ by: "archive", span }]);
      expect(await texts()).toEqual(["post first", "post second", "post third"]);
      expect(await intervals()).toContain(`posts ${oldMs}..${oldMs + 1_000}`);
      await waitForCounts();
      expect(await visiblePosts()).toContainEqual({ Content: "post second", likes: 1 });
    },
  );

  test("a gap beyond the lookback is not replayed twice", async () => {
    fillReplayArchive();
    const span = { fromMs: oldMs, toMs: oldMs + 1_000 };
    await replay(request(span));
    server.requests.length = 0;
    expect(await replay(request(span))).toMatchObject({
      parts: [],
      alreadyCoveredMs: 1_000,
      events: 0,
    });
    expect(server.requests).toEqual([]);
  });

  test("replay of a gap beyond the lookback resumes after an interruption without counting a like twice", async () => {
    fillReplayArchive();
    const span = { fromMs: oldMs, toMs: oldMs + 1_000 };
    let blocks = 0;
    server.intercept = (method, response) => {
      if (method !== "getBlock" || ++blocks < 4) return false;
      response.writeHead(400).end("{}");
      return true;
    };
    await expect(replay(request(span))).rejects.toMatchObject({ code: "upstream_refused" });
    server.intercept = () => false;
    const summary = await replay(request(span));
    expect(summary.missing).toEqual([]);
    expect(summary.alreadyCoveredMs).toBeGreaterThanOrEqual(20);
    await waitForCounts();
    expect(await visiblePosts()).toContainEqual({ Content: "post second", likes: 1 });
  });

  test("a gap beyond the lookback stays open where the replay archive starts later or ends earlier", async () => {
    fillReplayArchive();
    server.segments = server.segments.slice(1, 2);
    const { missing } = await replay(request({ fromMs: oldMs, toMs: oldMs + 1_000 }));
    expect(missing).toEqual([
      { fromMs: oldMs, toMs: oldMs + 20 },
      { fromMs: oldMs + 51, toMs: oldMs + 1_000 },
    ]);
  });

  test("replay of a gap beyond the lookback fails without a valid token, and the error names its setting", async () => {
    const span = { fromMs: oldMs, toMs: oldMs + 1_000 };
    await expect(replay(request(span, { network: null }))).rejects.toMatchObject({
      code: "replay_needs_token",
      hint: expect.stringContaining("EARSHOT_NETWORK_REPLAY_TOKEN"),
    });
    server.token = "secret";
    await expect(replay(request(span))).rejects.toMatchObject({ code: "replay_refused" });
  });

  test("replay skips and counts unreadable rows", async () => {
    const { payload: _none, ...bad } = row(oldMs + 5, "bad");
    const before = { ...row(oldMs - 10, "before"), seq: bad.seq - 1 };
    server.segments = [[[before, bad, row(oldMs + 5_000, "behind")]]];
    const summary = await replay(request({ fromMs: oldMs, toMs: oldMs + 1_000 }));
    expect(summary).toMatchObject({ badEvents: 1, missing: [] });
  });

  test.each([
    ["not in the zstd format", Buffer.from("nothing of the kind")],
    ["empty", Buffer.alloc(0)],
  ])(
    "a gap beyond the lookback is not claimed as covered if a block is %s",
    async (_what, body) => {
      fillReplayArchive();
      server.intercept = (method, response) => {
        if (method !== "getBlock") return false;
        response.end(body);
        return true;
      };
      const span = { fromMs: oldMs, toMs: oldMs + 1_000 };
      await expect(replay(request(span))).rejects.toMatchObject({ code: "replay_unreadable" });
      expect(await intervals()).toEqual([]);
    },
  );
});

test("time beyond the lookback is replayed from the replay archive, and the rest from the stream", async () => {
  const cutMs = Date.now() - 36 * hourMs;
  const span = { fromMs: oldMs, toMs: lateMs };
  server.segments = [[[row(oldMs - 10, "old"), row(cutMs + hourMs, "cut")]]];
  stream.publish(post(cutMs, "recent"));
  stream.publish(post(lateMs + 3_000, "behind"));
  const { parts } = await replay(request(span));
  expect(parts.map(({ by }) => by)).toEqual(["archive", "stream"]);
  expect(parts[0]?.span.toMs).toBe(parts[1]?.span.fromMs);
});

test("replay leaves recent time to the live stream", async () => {
  const nowMs = Date.now();
  await archive.write({ changes: [], coverage: getCoverage(nowMs - 2_000, nowMs - 1_000) });
  const summary = await replay(request({ fromMs: nowMs - 2_000, toMs: nowMs + hourMs }));
  expect(summary.parts).toEqual([]);
});
