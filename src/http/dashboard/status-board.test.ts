import { expect, test } from "vitest";
import type { ArchiveStats, CountRequest, SegmentStats } from "../../archive/archive.ts";
import { streamNotStarted } from "../../ingest/ingest-state.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createStatusBoard, type StatusSource } from "./status-board.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const work = {
  segmentsInWindow: 1,
  segmentsCached: 0,
  segmentsOpened: 1,
  slices: 1,
  statements: 1,
};

const segment: SegmentStats = {
  platform: "bluesky",
  sequence: 1,
  posts: 500,
  imported: 0,
  hidden: 4,
  bytes: 1_000,
  fromMs: nowMs - 9_000_000,
  toMs: nowMs - 1_000,
  current: true,
  optimised: false,
  sealed: null,
};

const stats: ArchiveStats = {
  segments: [segment, { ...segment, sequence: 2, posts: 20, hidden: 0, fromMs: null, toMs: null }],
  catalogBytes: 10,
  bytes: 2_010,
  maxBytes: 5_000,
  tombstones: 0,
  accounts: 0,
  labels: 0,
  waitingCounts: 0,
  lastIngestNumber: 0,
  pendingRewrites: 0,
  pendingSeals: 0,
  retiredFiles: 0,
  orphaned: { files: 0, bytes: 0 },
  coverage: [],
};

function testBoard(overrides: Partial<StatusSource> = {}) {
  const clock = createManualClock(nowMs);
  const state = { countMs: 0, statsMs: 0, fails: false };
  const calls: string[] = [];
  const timed = async (name: string, ms: number) => {
    calls.push(name);
    if (ms > 0) await clock.sleep(ms);
    if (state.fails) throw new Error("the archive is not responding");
  };
  const board = createStatusBoard({
    archive: {
      coverage: async () => {
        await timed("coverage", 0);
        return [{ platform: "bluesky", intervals: [], hasPosts: true }];
      },
      stats: async () => {
        await timed("stats", state.statsMs);
        return stats;
      },
      count: async ({ platforms, fromMs, toMs }: CountRequest) => {
        await timed(`count ${platforms} ${toMs - fromMs}`, state.countMs);
        return {
          buckets: [{ fromMs, count: 7 }],
          countedFromMs: fromMs,
          work,
          coverage: [],
          damage: [],
        };
      },
    },
    clock,
    settings: { cacheMs: 60_000, coverageSlackMs: 10_000, maxAgeMs: 0 },
    streamedPlatforms: ["mastodon"],
    liveSinceMs: () => 0,
    isSearchedLive: async (platform) => platform === "x",
    blueskyStream: () => null,
    mastodonStream: () => null,
    postsPerSecond: () => 41.5,
    lags: async (fromMs) => [{ platform: "mastodon", startMs: fromMs, lagMs: 1_400 }],
    freeDiskBytes: async () => null,
    waitingJobs: () => 3,
    embedded: () => ({ mode: "on", running: 1, concurrency: 4, jobs: 12 }),
    nodes: () => [],
    ...overrides,
  });
  return { board, clock, state, calls };
}

test("the status board reports what this process runs and stores", async () => {
  const { board } = testBoard();
  const { platforms, archive, nodes, queue, from, to } = await board.status("24h");
  expect([from, to]).toEqual(["2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z"]);
  expect(platforms.map(({ mode, posts }) => [mode, posts])).toEqual([
    ["archived", 520],
    ["streamed", 0],
    ["live", 0],
  ]);
  expect(platforms[0]?.received?.[0]).toBe(7);
  expect(platforms[1]?.lag).toEqual([{ at: "2026-11-20T12:00:00Z", lag_ms: 1_400 }]);
  expect(archive).toEqual({
    posts: 520,
    segments: 2,
    bytes: 2_010,
    max_bytes: 5_000,
    oldest_at: "2026-11-21T09:30:00Z",
    newest_at: "2026-11-21T11:59:59Z",
    hidden: 4,
    max_age_ms: null,
    free_disk_bytes: null,
  });
  expect(nodes).toMatchObject([
    { name: "embedded", evidence: "none", platforms: ["bluesky", "mastodon", "x"], jobs: 12 },
  ]);
  expect(queue).toEqual({ waiting: 3 });
});

test("the status board reports the current status of a stream", async () => {
  let lagMs = 1_400;
  const { board } = testBoard({
    streamedPlatforms: ["bluesky"],
    blueskyStream: () => ({
      ...streamNotStarted,
      status: "connected",
      detail: "connected to one.example",
      host: "one.example",
      lagMs,
      labelers: [],
      lookUp: null,
    }),
  });
  const currentStream = async () => (await board.status("24h")).platforms[0]?.stream;
  const expected = {
    status: "connected",
    detail: "connected to one.example",
    host: "one.example",
    lag_ms: 1_400,
    posts_per_second: 41.5,
  };
  expect(await currentStream()).toEqual(expected);
  lagMs = 9_000;
  expect(await currentStream()).toEqual({ ...expected, lag_ms: 9_000 });
});

test("the status board does not query the archive while its status is cached", async () => {
  const { board, clock, calls } = testBoard();
  await Promise.all([board.status("24h"), board.status("24h"), board.status("24h")]);
  const once = ["count bluesky 86400000", "coverage", "stats"];
  expect(calls.toSorted()).toEqual(once);
  await clock.advance(59_999);
  await board.status("24h");
  expect(calls.toSorted()).toEqual(once);
  await clock.advance(1);
  await board.status("24h");
  expect(calls).toHaveLength(6);
});

test("the status board reports received posts as null while it counts them, and counts one range at a time", async () => {
  const { board, clock, state, calls } = testBoard();
  await board.status("30d");
  calls.length = 0;
  state.countMs = 5_000;
  const answers = Promise.all([board.status("24h"), board.status("7d")]);
  await clock.advance(300);
  expect((await answers).map(({ platforms }) => platforms[0]?.received)).toEqual([null, null]);
  expect(calls).toEqual(["count bluesky 86400000"]);
  await clock.advance(5_000);
  expect(calls).toEqual(["count bluesky 86400000", "count bluesky 604800000"]);
  expect((await board.status("24h")).platforms[0]?.received).toHaveLength(144);
});

test("the status board fails with unavailable if the archive does not respond in time", async () => {
  const { board, clock, state } = testBoard();
  state.statsMs = 60_000;
  const answer = board.status("24h");
  const rejection = expect(answer).rejects.toMatchObject({ code: "unavailable" });
  await clock.advance(6_000);
  await rejection;
});

test("the status board keeps the number of posts and reports received posts as null if the archive fails", async () => {
  const { board, clock, state } = testBoard();
  await board.status("24h");
  state.fails = true;
  await clock.advance(60_000);
  const { platforms } = await board.status("7d");
  expect(platforms[0]?.received).toBeNull();
  expect(platforms[0]?.posts).toBe(520);
});
