import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLocalStore } from "../../../db/local-store.ts";
import { controlMigrations } from "../../../db/migrations/control.ts";
import { openStoreForWriting } from "../../../db/open.ts";
import { createManualClock } from "../../../lib/manual-clock.ts";
import {
  type IngestState,
  type MastodonStreamState,
  streamNotStarted,
} from "../../ingest-state.ts";
import { sampleOperations } from "./operations.ts";
import { createSampler } from "./sampler.ts";

const startMs = 1_700_000_100_000;

function startTestSampler() {
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  const store = createLocalStore(database, sampleOperations);
  const clock = createManualClock(startMs);
  const bluesky: IngestState = { ...streamNotStarted, labelers: [], lookUp: null };
  const state = {
    bluesky: bluesky as IngestState | null,
    mastodon: null as Pick<MastodonStreamState, "posts"> | null,
    fails: false,
  };
  const sampler = createSampler({
    store: {
      write: async (name, args) => {
        if (state.fails) throw new Error("the disk is gone");
        return await store.write(name, args);
      },
    },
    clock,
    retentionMs: 10_800_000,
    bluesky: () => state.bluesky,
    mastodon: () => state.mastodon as MastodonStreamState | null,
    onError: () => undefined,
  });
  sampler.start();
  onTestFinished(async () => {
    await sampler.stop();
    database.close();
    rmSync(folder, { recursive: true });
  });
  const rows = () =>
    database.all<{ platform: string; atMs: number; lagMs: number | null; posts: number }>(
      `SELECT platform, bucket_ms - ${startMs} AS atMs, lag_ms AS lagMs, posts
       FROM ingest_sample ORDER BY 1, 2`,
    );
  return { sampler, clock, state, bluesky, rows, store };
}

test("the stream sampler stores maximum lag and post count per five minutes", async () => {
  const { clock, state, bluesky, rows } = startTestSampler();
  await clock.advance(10_000);
  state.bluesky = { ...bluesky, lagMs: 9_000, posts: 40 };
  await clock.advance(1_000);
  state.bluesky = { ...bluesky, lagMs: 1_000, posts: 100 };
  await clock.advance(200_000);
  expect(rows()).toEqual([{ platform: "bluesky", atMs: 0, lagMs: 9_000, posts: 100 }]);
  await clock.advance(150_000);
  state.bluesky = { ...bluesky, lagMs: 2_000, posts: 130 };
  await clock.advance(120_000);
  expect(rows()).toEqual([
    { platform: "bluesky", atMs: 0, lagMs: 9_000, posts: 100 },
    { platform: "bluesky", atMs: 300_000, lagMs: 2_000, posts: 30 },
  ]);
});

test("the stream sampler writes pending samples when it stops, including those of a stream without a lag", async () => {
  const { sampler, clock, state, bluesky, rows } = startTestSampler();
  state.bluesky = { ...bluesky, lagMs: 500, posts: 3 };
  state.mastodon = { posts: 5 };
  await clock.advance(2_000);
  state.mastodon = { posts: 7 };
  await sampler.stop();
  expect(rows()).toEqual([
    { platform: "bluesky", atMs: 0, lagMs: 500, posts: 3 },
    { platform: "mastodon", atMs: 0, lagMs: null, posts: 7 },
  ]);
});

test("the stream sampler retries a failed write with the next one", async () => {
  const { clock, state, bluesky, rows } = startTestSampler();
  state.bluesky = { ...bluesky, lagMs: 500, posts: 3 };
  state.fails = true;
  await clock.advance(130_000);
  expect(rows()).toEqual([]);
  state.fails = false;
  await clock.advance(60_000);
  expect(rows()).toEqual([{ platform: "bluesky", atMs: 0, lagMs: 500, posts: 3 }]);
});

test("the stream sampler stores no sample and reports no rate without a stream", async () => {
  const { sampler, clock, state, rows } = startTestSampler();
  state.bluesky = null;
  await clock.advance(130_000);
  expect(sampler.postsPerSecond("bluesky")).toBeNull();
  expect(sampler.postsPerSecond("x")).toBeNull();
  await sampler.stop();
  expect(rows()).toEqual([]);
});

test("the stream sampler reports the rate of the last minute, even after a stream restarts", async () => {
  const { sampler, clock, state, bluesky } = startTestSampler();
  for (let second = 1; second <= 200; second += 1) {
    state.bluesky = { ...bluesky, posts: second < 100 ? second : 100 + (second - 100) * 3 };
    await clock.advance(1_000);
  }
  expect(sampler.postsPerSecond("bluesky")).toBeCloseTo(3, 1);
  state.bluesky = { ...bluesky, posts: 0 };
  await clock.advance(1_000);
  expect(sampler.postsPerSecond("bluesky")).toBeNull();
  state.bluesky = { ...bluesky, posts: 8 };
  await clock.advance(1_000);
  expect(sampler.postsPerSecond("bluesky")).toBeCloseTo(8, 1);
});

test("the stream sampler reports the maximum lag per wider interval, and deletes expired samples", async () => {
  const { clock, state, bluesky, store, rows } = startTestSampler();
  for (const lagMs of [1_000, 7_000, 2_000, 3_000]) {
    state.bluesky = { ...bluesky, lagMs };
    await clock.advance(300_000);
  }
  const range = { fromMs: startMs, widthMs: 600_000 };
  const first = Math.floor(startMs / 600_000) * 600_000;
  const lags = await store.read("ingestLags", range);
  expect(lags[0]?.startMs).toBe(first);
  expect(Math.max(...lags.map(({ lagMs }) => lagMs))).toBe(7_000);
  state.bluesky = null;
  await clock.advance(10_800_000 + 3_600_000);
  expect(rows()).toEqual([]);
});
