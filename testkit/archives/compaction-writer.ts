import { writeSync } from "node:fs";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { ArchiveChange } from "../../src/archive/archive.ts";
import { readCheckpoint, readSegments, readUriKey } from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { createCompaction } from "../../src/archive/compaction/compaction.ts";
import { compactionContext } from "../../src/archive/compaction/context.ts";
import { lockCompaction } from "../../src/archive/compaction/lock.ts";
import { runSteps } from "../../src/archive/compaction/steps.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";
import { startPreparation } from "../../src/archive/write/prepare.ts";
import { createBatchWriter } from "../../src/archive/write/write-batch.ts";
import type { Post } from "../../src/posts/post.ts";
import { makePost } from "../data/make-post.ts";
import { changeCatalog } from "./change-catalog.ts";

/**
 * Resumes after the last batch, while a thread compacts. Arguments: folder, maximum age in milliseconds (0 for none), `alone`
 * for no thread. Prints a period per batch.
 */
const batches = 220;
const postsPerBatch = 12;
const startMs = Date.UTC(2026, 0, 1);
const words = ["river", "stone", "harbour", "night", "東京", "привет", "snow"];

const folder = String(process.argv[2]);
const maxAgeMs = Number(process.argv[3]);
/** The oldest segments expire. */
const nowMs = startMs + batches * postsPerBatch * 60_000;

function numberedPost(n: number, overrides: Partial<Post> = {}): Post {
  const minute = n % 3 === 0 ? (n * 7919) % Math.max(1, n) : n;
  const ms = startMs + minute * 60_000;
  const author = `did:plc:author${n % 20}`;
  return makePost({
    uri: `at://${author}/app.bsky.feed.post/k${n}`,
    userId: author,
    username: `author${n % 20}.example.com`,
    createdMs: ms,
    seenMs: ms,
    text: `${words[n % 7]} ${words[(n >> 3) % 7]} number ${n}`,
    origin: n % 11 === 0 ? "import" : "stream",
    revision: n % 11 === 0 ? "" : "1",
    counts: { likes: 0, reposts: 0, replies: 0, quotes: 0 },
    ...overrides,
  });
}

function batchChanges(batch: number): ArchiveChange[] {
  const firstNumber = batch * postsPerBatch;
  const changes: ArchiveChange[] = Array.from({ length: postsPerBatch }, (_, n) => ({
    kind: "upsert",
    post: numberedPost(firstNumber + n),
  }));
  const earlierPost = (by: number): Post => numberedPost((batch * by) % Math.max(1, firstNumber));
  const revision = String(batch + 2).padStart(6, "0");
  changes.push(
    {
      kind: "upsert",
      post: { ...earlierPost(131), text: `edited river ${batch}`, revision, origin: "stream" },
    },
    { kind: "count", platform: "bluesky", uri: earlierPost(61).uri, metric: "likes", increment: 3 },
    {
      kind: "count",
      platform: "bluesky",
      uri: earlierPost(67).uri,
      metric: "reposts",
      increment: 1,
    },
  );
  if (batch % 4 === 0) {
    changes.push({ kind: "delete", platform: "bluesky", uri: earlierPost(173).uri, revision });
  }
  if (batch % 10 === 0) {
    const status = batch % 20 === 0 ? "suspended" : "active";
    const userId = `did:plc:author${(batch / 10) % 20}`;
    changes.push({
      kind: "account",
      platform: "bluesky",
      userId,
      status,
      observedMs: startMs + batch,
    });
  }
  return changes;
}

interface Pace {
  readonly rounds: Int32Array;
  readonly stop: Int32Array;
}

const batchesPerRound = 20;

function awaitRound(rounds: Int32Array): void {
  const outcome = Atomics.wait(rounds, 0, Atomics.load(rounds, 0), 60_000);
  if (outcome === "timed-out") throw new Error("the compaction thread has stopped");
}

function writeAll(rounds: Int32Array | null): void {
  const catalog = openCatalog(folder);
  const uriKey = readUriKey(catalog);
  const writer = createBatchWriter(folder, catalog, {
    segmentPosts: 250,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  for (let batch = Number(readCheckpoint(catalog, "batch") ?? 0); batch < batches; batch += 1) {
    const preparation = startPreparation(uriKey, nowMs);
    batchChanges(batch).forEach(preparation.add);
    writer.write({
      ...preparation.prepared(),
      checkpoints: [{ name: "batch", value: String(batch + 1) }],
      coverage: [
        {
          platform: "bluesky",
          collection: "posts",
          account: null,
          source: "jetstream",
          fromMs: startMs,
          toMs: startMs + (batch + 1) * postsPerBatch * 60_000,
        },
      ],
    });
    if (batch % 7 === 0) writer.closeCounts();
    writer.addCounts();
    writeSync(1, ".");
    if (rounds !== null && batch % batchesPerRound === 0) awaitRound(rounds);
  }
  writer.closeCounts();
  while (writer.addCounts());
  writer.close();
}

/** After each round, all segments but the last become outdated. */
function compactUntilStopped({ rounds, stop }: Pace): void {
  const lock = lockCompaction(folder);
  if (lock === null) throw new Error("another process is compacting this archive");
  const bounds = {
    ...archiveDefaults,
    splitPosts: 280,
    optimiseAfterMs: 0,
    retiredMs: 0,
    maxAgeMs,
    sealPosts: 1,
    sealAfterMs: Number.NEGATIVE_INFINITY,
    resealPercent: 1,
    resealEveryMs: Number.NEGATIVE_INFINITY,
  };
  const clock = { now: () => (maxAgeMs === 0 ? Date.now() : nowMs) };
  const context = compactionContext(folder, bounds, clock);
  const compaction = createCompaction(context);
  const markOutdated = (sequence: number): void =>
    changeCatalog(
      context.catalog,
      `UPDATE segment SET analyzer = '1 15.0', optimised = 0 WHERE sequence = ${sequence}`,
    );
  while (Atomics.load(stop, 0) === 0) {
    while (runSteps(compaction.runNext()) && Atomics.load(stop, 0) === 0);
    Atomics.add(rounds, 0, 1);
    Atomics.notify(rounds, 0);
    const entries = readSegments(context.catalog);
    for (const { sequence } of entries.slice(0, -1)) markOutdated(sequence);
  }
  while (runSteps(compaction.runNext()));
  const { error } = compaction.state();
  if (error !== null) throw new Error(error.message);
  context.catalog.close();
  lock.release();
}

function startCompaction(pace: Pace): Promise<void> {
  const options = { argv: process.argv.slice(2), workerData: pace };
  const worker = new Worker(new URL(import.meta.url), options);
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  });
}

if (parentPort !== null) {
  compactUntilStopped(workerData as Pace);
} else if (process.argv[2] !== undefined && import.meta.filename === process.argv[1]) {
  openCatalog(folder).close();
  if (process.argv[4] === "alone") {
    writeAll(null);
  } else {
    const shared = () => new Int32Array(new SharedArrayBuffer(4));
    const pace = { rounds: shared(), stop: shared() };
    const compaction = startCompaction(pace);
    writeAll(pace.rounds);
    Atomics.store(pace.stop, 0, 1);
    await compaction;
  }
}
