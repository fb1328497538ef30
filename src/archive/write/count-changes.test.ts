import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CountMetric } from "@earshot/query/tree";
import { afterEach, expect, test } from "vitest";
import { updateRowChecksums } from "../../../testkit/archives/row-checksums.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { ArchiveChange } from "../archive.ts";
import { openCatalog } from "../catalog/open-catalog.ts";

const start = Date.UTC(2026, 0, 1);
let archive: SmallArchive;
afterEach(() => archive.remove());

const makeUri = (n: number): string => `at://did:plc:author/app.bsky.feed.post/${n}`;
const noCounts = { likes: 0, reposts: 0, replies: 0, quotes: 0 };

function post(n: number, overrides: Parameters<typeof makePost>[0] = {}) {
  const createdMs = start + n * 60_000;
  return makePost({ key: `${n}`, createdMs, origin: "stream", counts: noCounts, ...overrides });
}

const countChange = (n: number, metric: CountMetric = "likes", increment = 1): ArchiveChange => ({
  kind: "count",
  platform: "bluesky",
  uri: makeUri(n),
  metric,
  increment,
});

function findMetrics(n: number): unknown {
  const records = archive.records(archive.search({ plan: { kind: "all" } }).positions);
  const record = records.find(({ Metadata }) => Metadata.uri === makeUri(n));
  return (record?.Metadata as { public_metrics?: unknown } | undefined)?.public_metrics;
}

const metrics = (likes: number | null, reposts: number | null = 0, replies = 0, quotes = 0) => ({
  like_count: likes,
  retweet_count: reposts,
  reply_count: replies,
  quote_count: quotes,
});

test("count changes are collected first, and then added to posts in every segment", () => {
  archive = smallArchive(3);
  archive.put(...Array.from({ length: 10 }, (_, n) => post(n)));
  archive.write([
    countChange(0),
    countChange(9, "reposts", 4),
    countChange(0, "likes", 2),
    countChange(5, "replies"),
  ]);
  expect(findMetrics(0)).toEqual(metrics(0));
  archive.addCounts();
  expect(findMetrics(0)).toEqual(metrics(3));
  expect(findMetrics(9)).toEqual(metrics(0, 4));
  expect(findMetrics(5)).toEqual(metrics(0, 0, 1));
  archive.addCounts();
  expect(findMetrics(0)).toEqual(metrics(3));
});

test("a threshold is indexed once a count reaches it", () => {
  archive = smallArchive();
  archive.put(post(1), post(2));
  for (const [increment, finds] of [
    [1, { 1: 1, 2: 0 }],
    [8, { 9: 1, 10: 0 }],
    [1, { 10: 1, 11: 0 }],
    [989, { 999: 1, 1000: 0 }],
    [1, { 1000: 1, 1001: 0 }],
    [24, { 1023: 1, 1024: 1, 1025: 0 }],
  ] as const) {
    archive.write([countChange(1, "likes", increment)]);
    archive.addCounts();
    for (const [min, count] of Object.entries(finds)) {
      expect(archive.query(`min_faves:${min}`).positions, `min_faves:${min}`).toHaveLength(count);
    }
  }
  expect(archive.query("-min_faves:1000").positions).toHaveLength(1);
});

test("many likes of the same post are merged into one change", () => {
  archive = smallArchive();
  archive.put(post(1));
  for (let batch = 0; batch < 20; batch += 1) {
    archive.write(Array.from({ length: 500 }, () => countChange(1)));
  }
  const catalog = openCatalog(archive.folder);
  expect(catalog.prepare("SELECT count(*) AS rows FROM count_change").get()).toEqual({ rows: 1 });
  catalog.close();
  archive.addCounts();
  expect(findMetrics(1)).toEqual(metrics(10_000));
});

test("count changes of posts that are not stored are dropped", () => {
  archive = smallArchive();
  archive.put(post(1));
  archive.write([countChange(2)]);
  archive.addCounts();
  archive.put(post(2));
  archive.addCounts();
  expect(findMetrics(2)).toEqual(metrics(0));
});

test("an unknown count starts at zero with the first change, and counts survive an edit of the post", () => {
  archive = smallArchive();
  const unknownCounts = { likes: null, reposts: null, replies: null, quotes: null };
  archive.put(post(1, { counts: unknownCounts, revision: "3lb2ouyrqzs2a" }));
  archive.write([countChange(1), countChange(1, "replies", -1)]);
  archive.addCounts();
  expect(findMetrics(1)).toEqual({
    ...metrics(1),
    retweet_count: null,
    reply_count: null,
    quote_count: null,
  });
  archive.put(post(1, { counts: unknownCounts, revision: "3lb2ouyrqzs2b", text: "edited" }));
  expect(findMetrics(1)).toMatchObject({ like_count: 1 });
  expect(archive.query("edited min_faves:1").positions).toHaveLength(1);
});

test("a deleted reply or quote is subtracted, and counts are never negative", () => {
  archive = smallArchive(2);
  const target = { id: null, uri: makeUri(1), username: null, userId: null };
  archive.put(
    post(1),
    post(2, { inReplyTo: target, isReply: true }),
    post(3, { quoted: target, isQuote: true }),
  );
  archive.write([countChange(1, "replies"), countChange(1, "quotes")]);
  archive.addCounts();
  expect(findMetrics(1)).toEqual(metrics(0, 0, 1, 1));
  const remove = (n: number): ArchiveChange => ({
    kind: "delete",
    platform: "bluesky",
    uri: makeUri(n),
    revision: "3lb2ouyrqzs2a",
  });
  archive.write([remove(2), remove(3)]);
  archive.addCounts();
  expect(findMetrics(1)).toEqual(metrics(0));
  archive.write([countChange(1, "replies", -1)]);
  archive.addCounts();
  expect(findMetrics(1)).toEqual(metrics(0));
});

test("counts collected after a batch are added by the next one, and survive restarts", () => {
  archive = smallArchive();
  archive.put(post(1));
  archive.write([countChange(1)]);
  archive.reopen();
  archive.addCounts();
  archive.write([countChange(1)]);
  archive.reopen();
  expect(findMetrics(1)).toEqual(metrics(1));
  archive.addCounts();
  expect(findMetrics(1)).toEqual(metrics(2));
});

test("a batch of count changes is not added twice to a segment after a crash", () => {
  archive = smallArchive(2);
  archive.put(...[1, 2, 3, 4].map((n) => post(n)));
  archive.write([countChange(1), countChange(4)]);
  const first = new DatabaseSync(join(archive.folder, "bluesky", "000001.db"));
  first.exec("UPDATE post SET likes = 1; UPDATE setting SET value = 1 WHERE name = 'counted'");
  updateRowChecksums(first);
  first.close();
  archive.addCounts();
  expect(findMetrics(1)).toEqual(metrics(1));
  expect(findMetrics(4)).toEqual(metrics(1));
});

test("many count changes are added in batches of bounded size", () => {
  archive = smallArchive(10_000);
  archive.put(...Array.from({ length: 5_000 }, (_, n) => post(n)));
  archive.write(Array.from({ length: 5_000 }, (_, n) => countChange(n)));
  archive.addCounts();
  expect(archive.query("min_faves:1", { limit: 10_000 }).positions).toHaveLength(5_000);
  const catalog = openCatalog(archive.folder);
  const batchNumber = catalog.prepare("SELECT value FROM setting WHERE name = 'count_step'").get();
  catalog.close();
  expect(Number(batchNumber?.value)).toBe(3);
});
