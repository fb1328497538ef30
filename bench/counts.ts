import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { openArchive } from "../src/archive/threads/open.ts";
import { createReader } from "../src/archive/threads/reader.ts";
import { readImportRecord, toPost } from "../src/ingest/import/record.ts";
import { systemClock } from "../src/lib/clock.ts";
import type { Post } from "../src/posts/post.ts";
import { iraPosts, requireData, toRecord } from "./ira.ts";
import { command, table } from "./measure.ts";

/**
 * Counts over the 600,000 real posts, for all time and the last 31 days, by hour and minute: first
 * and repeated, in the reader's thread. Segments of 100,000 posts show the cost of one changed
 * segment.
 */
requireData();
const queries: readonly (readonly [string, string])[] = [
  ["common term", "the"],
  ["every post", "-zzzznothing"],
  ["rare term", "hurricane"],
  ["three frequent terms", "the to in"],
  ["phrase", '"fake news"'],
  ["term, checked in rows", "trump (lang:en OR since:2016-06-01)"],
];
const hourMs = 3_600_000;
const rounds = 3;
const dayMs = 24 * hourMs;
const lastMonth = {
  label: "last 31 days",
  fromMs: Date.UTC(2016, 10, 13),
  toMs: Date.UTC(2016, 11, 14),
};
const allTime = { label: "all", fromMs: Date.UTC(2011, 0, 1), toMs: Date.UTC(2017, 0, 1) };

console.log(`${command()}: best of ${rounds} rounds, milliseconds\n`);
for (const segmentPosts of [1_000_000, 100_000]) {
  const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-"));
  const lastPost = await build(dataDir, segmentPosts);
  console.log(`\nsegments of ${segmentPosts} posts\n`);
  console.log(measure(dataDir));
  if (segmentPosts === 100_000) console.log(`\n${await countAfterChange(dataDir, lastPost)}`);
  rmSync(dataDir, { recursive: true });
}

function measure(dataDir: string): string {
  const rows = queries.flatMap(([name, query]) =>
    [
      { ...allTime, by: "day", bucketMs: dayMs },
      { ...allTime, by: "hour", bucketMs: hourMs },
      { ...allTime, by: "minute", bucketMs: hourMs / 60 },
      { ...lastMonth, by: "hour", bucketMs: hourMs },
    ].map(({ label, by, ...window }) => {
      const first: number[] = [];
      const repeated: number[] = [];
      let matches = 0;
      let statements = 0;
      for (let round = 0; round < rounds; round++) {
        // A new reader has an empty cache; the files stay in the page cache.
        const reader = createReader(join(dataDir, "archive"), 8_000, systemClock);
        const count = counter(reader, query, window);
        counter(reader, "warmup", window)();
        const start = performance.now();
        const { buckets, work } = count();
        first.push(performance.now() - start);
        const repeatStart = performance.now();
        count();
        repeated.push(performance.now() - repeatStart);
        matches = buckets.reduce((sum, { count }) => sum + count, 0);
        statements = work.statements;
        reader.close();
      }
      const windowLabel = `${label} by ${by}`;
      return [
        name,
        windowLabel,
        String(matches),
        String(statements),
        Math.min(...first),
        Math.min(...repeated),
      ];
    }),
  );
  return table(["query", "window", "posts", "statements", "first", "repeated"], rows);
}

function counter(
  reader: ReturnType<typeof createReader>,
  query: string,
  window: { fromMs: number; toMs: number; bucketMs: number },
) {
  const { tree } = parseQuery(query);
  const names = reader.operations.resolve(namesIn(tree));
  const plan = makePlan(tree, { names, asOfMs: 0 });
  return () =>
    reader.operations.count({
      plan,
      platforms: ["x"],
      deadlineMs: Number.POSITIVE_INFINITY,
      ...window,
    });
}

async function countAfterChange(dataDir: string, lastPost: Post): Promise<string> {
  const archive = await openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 100_000,
    clock: systemClock,
  });
  const reader = createReader(join(dataDir, "archive"), 8_000, systemClock);
  const count = counter(reader, "the", { ...allTime, bucketMs: hourMs });
  count();
  await archive.write({
    changes: [{ kind: "upsert", post: { ...lastPost, text: "the changed post" } }],
  });
  const start = performance.now();
  const { work } = count();
  const tookMs = performance.now() - start;
  reader.close();
  await archive.close();
  return `after one post changed: ${tookMs.toFixed(1)} ms, ${work.segmentsOpened} of ${work.segmentsInWindow} segments counted`;
}

async function build(dataDir: string, segmentPosts: number): Promise<Post> {
  const archive = await openArchive({
    dataDir,
    readers: 1,
    segmentPosts,
    detectLanguage: "off",
    clock: systemClock,
  });
  let batch: Post[] = [];
  let lastPost: Post | undefined;
  const flush = async (): Promise<void> => {
    await archive.write({ changes: batch.map((post) => ({ kind: "upsert", post })) });
    lastPost = batch.at(-1) ?? lastPost;
    batch = [];
  };
  for await (const post of iraPosts()) {
    batch.push(toPost(readImportRecord(toRecord(post)), "x", Date.now()));
    if (batch.length === 20_000) await flush();
  }
  await flush();
  await archive.close();
  if (lastPost === undefined) throw new Error("there are no posts");
  return lastPost;
}
