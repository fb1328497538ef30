import { cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { updateCatalogChecksums } from "../../../testkit/archives/change-catalog.ts";
import { updateRowChecksums } from "../../../testkit/archives/row-checksums.ts";
import { writerOn } from "../../../testkit/archives/whole-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { lowestId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { ArchiveChange } from "../archive.ts";
import { catalogPath, segmentPath } from "../catalog/catalog.ts";
import { type CheckReport, check } from "./check.ts";
import { type FindingKind, findingRemedy } from "./findings.ts";

let template = "";
let data = "";

const startMs = Date.UTC(2026, 0, 1);
const segmentPosts = 30;

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "earshot-check-"));
  const writer = writerOn(template, segmentPosts);
  const counts = { likes: 5, reposts: 0, replies: null, quotes: 0 };
  const posts = [
    ...Array.from({ length: 75 }, (_, n) =>
      makePost({
        key: `key${n}`,
        createdMs: startMs + n * 60_000,
        text: `Words of post ${n}, "quoted", naïve 東京 👍 #tag${n % 7}`,
        origin: n % 2 === 0 ? "import" : "stream",
        revision: n % 2 === 0 ? "" : "r1",
        counts,
      }),
    ),
    ...Array.from({ length: 20 }, (_, n) =>
      makePost({ platform: "x", nativeId: lowestId(startMs + n) + 7n, userId: "9", counts }),
    ),
    makePost({ key: "3mabcdefghijk", createdMs: Date.UTC(2015, 0, 1), text: "misplaced" }),
    makePost({ key: "ancient", createdMs: Date.UTC(1999, 0, 1), text: "before all numbers" }),
  ];
  writer.write(posts.map((post) => ({ kind: "upsert", post })));
  const label = {
    platform: "bluesky",
    source: "did:plc:m",
    negated: false,
    createdMs: 1,
    expiresMs: null,
  } as const;
  writer.write([
    { kind: "delete", platform: "bluesky", uri: makeUri("key3"), revision: "r1" },
    { kind: "delete", platform: "bluesky", uri: makeUri("key73"), revision: "r2" },
    { kind: "label", subject: makeUri("key5"), value: "!hide", ...label },
    { kind: "label", subject: makeUri("key6"), value: "porn", ...label },
    { kind: "count", platform: "bluesky", uri: makeUri("key7"), metric: "likes", increment: 20 },
  ]);
  writer.addCounts();
  writer.close();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "earshot-check-"));
  cpSync(template, data, { recursive: true });
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const folder = (): string => join(data, "archive");
const makeUri = (key: string): string => `at://did:plc:author/app.bsky.feed.post/${key}`;
const never = new AbortController().signal;

const runCheck = (isFull: boolean, onProgress = (): void => {}): Promise<CheckReport> =>
  check({ folder: folder(), isFull, sampleRows: 1_000, onProgress, signal: never });

const makePath = (platform: Platform, sequence: number): string =>
  segmentPath(folder(), { platform, sequence });

function corrupt(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  if (path === catalogPath(folder())) updateCatalogChecksums(database);
  else updateRowChecksums(database);
  database.close();
}

const inSegment = (sql: string) => () => corrupt(makePath("bluesky", 2), sql);
const inCatalog = (sql: string) => () => corrupt(catalogPath(folder()), sql);

const middlePostId = "(SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 12)";

describe("an intact archive", () => {
  test.for([true, false])("an intact archive has no findings, full check: %s", async (isFull) => {
    const report = await runCheck(isFull);
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ posts: 95, indexed: 95, findingCount: 0, outdated: [] });
    expect(report.segments).toBeGreaterThan(3);
  });

  test("an intact archive has no findings while it is being written to", async () => {
    let n = 0;
    const writer = writerOn(data, segmentPosts);
    const report = await runCheck(true, () => {
      const upsert = (): ArchiveChange => {
        const post = makePost({ key: `more${n}`, createdMs: startMs + n++ * 20_000, text: "more" });
        return { kind: "upsert", post };
      };
      const removed = makeUri(`more${n - 25}`);
      writer.write([
        ...Array.from({ length: 10 }, upsert),
        { kind: "delete", platform: "bluesky", uri: removed, revision: "" },
      ]);
    });
    writer.close();
    expect(n).toBeGreaterThan(50);
    expect(report.findings).toEqual([]);
  });

  test("check skips the index of a segment with an outdated analyzer, and reports the segment as outdated", async () => {
    inCatalog("UPDATE segment SET analyzer = '0' WHERE platform = 'x'")();
    const report = await runCheck(true);
    expect(report).toMatchObject({ findingCount: 0, posts: 95, indexed: 75, outdated: ["x/1"] });
  });
});

describe.for([true, false])("a damaged archive, full check: %s", (isFull) => {
  test.for<[string, () => void, FindingKind, RegExp]>([
    [
      "an index entry of a deleted row",
      inSegment(`DELETE FROM post WHERE id = ${middlePostId}`),
      "index_exceeds",
      /the index has post \d+, which is not stored/,
    ],
    [
      "the uri entry of a deleted row",
      inSegment(`DELETE FROM post WHERE id = ${middlePostId}`),
      "uri_entry_wrong",
      /entry maps a different uri to post \d+/,
    ],
    [
      "a post total that includes a deleted row",
      inSegment(`DELETE FROM post WHERE id = ${middlePostId}`),
      "number_differs",
      /30 posts, but contains 29/,
    ],
    [
      "a deleted index entry",
      inSegment(`DELETE FROM term WHERE rowid = ${middlePostId}`),
      "index_lacks",
      /post \d+ is not in the index/,
    ],
    [
      "an index entry with other words",
      inSegment(`
        CREATE TEMP TABLE one AS SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 12;
        DELETE FROM term WHERE rowid = (SELECT id FROM one);
        INSERT INTO term(rowid, terms) SELECT id, 'is:post other words' FROM one`),
      "index_lacks",
      /under "words"|under "of"/,
    ],
    [
      "an index entry without a post",
      inSegment("INSERT INTO term(rowid, terms) VALUES(5, 'is:post')"),
      "index_exceeds",
      /the index has post 5/,
    ],
    [
      "a count whose facets are not indexed",
      inSegment(`UPDATE post SET likes = 1000 WHERE id = ${middlePostId}`),
      "index_lacks",
      /under "likes>=10", "likes>=100", "likes>=1000"/,
    ],
    [
      "an indexed count facet that the post does not have",
      inSegment(`UPDATE post SET likes = 0 WHERE id = ${middlePostId}`),
      "index_exceeds",
      /under "likes>=1", which the post does not contain/,
    ],
    [
      "a post whose uri is stored under a wrong hash",
      inSegment(`UPDATE uri SET hash = hash + 1 WHERE id = ${middlePostId}`),
      "uri_entry_missing",
      /post \d+ cannot be found by its uri, at:/,
    ],
    [
      "a uri entry with a wrong hash",
      inSegment(`UPDATE uri SET hash = hash + 1 WHERE id = ${middlePostId}`),
      "uri_entry_wrong",
      /maps a different uri to post/,
    ],
    [
      "a uri entry without a post",
      inSegment("INSERT INTO uri VALUES(5, 5)"),
      "uri_entry_wrong",
      /to post 5/,
    ],
    [
      "a wrong post total",
      inSegment("UPDATE setting SET value = 7 WHERE name = 'posts'"),
      "number_differs",
      /7 posts, but contains 30/,
    ],
    [
      "a wrong import total",
      inSegment("UPDATE setting SET value = 7 WHERE name = 'imported'"),
      "number_differs",
      /7 imported, but contains 1\d/,
    ],
    [
      "a post with an ID outside its segment's range",
      inSegment("UPDATE post SET id = 77 WHERE id = (SELECT min(id) FROM post)"),
      "id_outside",
      /post 77 belongs to another segment/,
    ],
    [
      "a time outside the segment's skew",
      inSegment(`UPDATE post SET time_ms = time_ms + 1 WHERE id = ${middlePostId}`),
      "time_outside",
      /the time of post \d+/,
    ],
    [
      "a hidden ID without a post",
      inSegment("INSERT INTO hidden VALUES(5)"),
      "hidden_without_post",
      /hides post 5/,
    ],
    [
      "a record without a uri",
      inSegment(`UPDATE post SET record = '""' WHERE id = ${middlePostId}`),
      "uri_entry_missing",
      /post \d+ cannot be found/,
    ],
    [
      "a count batch that is ahead of the catalog",
      inSegment("UPDATE setting SET value = 99 WHERE name = 'counted'"),
      "counts_ahead",
      /count batch 99, but the catalog is at batch 1/,
    ],
    [
      "an unknown schema version",
      inSegment("PRAGMA user_version = 99"),
      "schema_differs",
      /bluesky\/2 has schema 99/,
    ],
    [
      "a misplaced post that is not listed",
      inCatalog("DELETE FROM misplaced"),
      "stray_not_listed",
      /far from the time in it: .*3mabcdefghijk/,
    ],
    [
      "a stored post with a tombstone",
      inCatalog(`INSERT INTO tombstone VALUES('bluesky', '${makeUri("key9")}', 'r1')`),
      "deleted_but_held",
      /stored although it is deleted: .*key9/,
    ],
    [
      "a first segment that begins too late",
      inCatalog("UPDATE segment SET low = 1 WHERE low = 0 AND platform = 'x'"),
      "catalog_wrong",
      /no segment of x owns the lowest IDs/,
    ],
    [
      "an interval that ends before it begins",
      inCatalog("INSERT INTO interval VALUES('x', 'posts', '', 'import', 9, 9)"),
      "interval_wrong",
      /x posts import from 9 to 9 ends before it begins/,
    ],
    [
      "intervals that overlap",
      inCatalog(
        "INSERT INTO interval VALUES('x', 'posts', '', 'import', 1, 9), ('x', 'posts', '', 'import', 5, 12)",
      ),
      "interval_wrong",
      /from 5 to 12 overlaps the previous one/,
    ],
    [
      "a catalog with an outdated schema version",
      inCatalog("PRAGMA user_version = 1"),
      "schema_differs",
      /the catalog has schema 1/,
    ],
    [
      "a missing file",
      () => rmSync(makePath("bluesky", 2)),
      "file_missing",
      /bluesky\/000002\.db is missing/,
    ],
    [
      "a file truncated in the middle",
      () => truncateSync(makePath("bluesky", 2), 5 * 8192),
      "file_damaged",
      /bluesky\/000002\.db: /,
    ],
    [
      "a file truncated to zero bytes",
      () => truncateSync(makePath("bluesky", 2), 0),
      "schema_differs",
      /bluesky\/2 has schema 0/,
    ],
    [
      "a file that is not a database",
      () => writeFileSync(makePath("bluesky", 2), "x".repeat(20_000)),
      "file_damaged",
      /bluesky\/000002\.db: file is not a database/,
    ],
  ])("check detects %s", async ([, corruptArchive, kind, message]) => {
    corruptArchive();
    const { findings } = await runCheck(isFull);
    expect(findings.map((finding) => finding.kind)).toContain(kind);
    const texts = findings
      .filter((finding) => finding.kind === kind)
      .map((finding) => finding.message);
    expect(texts.join("\n")).toMatch(message);
  });
});

test("check reports a post that is stored twice, and the command that removes it", async () => {
  const path = makePath("bluesky", 2);
  const other = segmentPath(folder(), { platform: "bluesky", sequence: 1 });
  corrupt(
    path,
    `ATTACH '${other}' AS other;
     CREATE TEMP TABLE new_id AS
       SELECT (SELECT id FROM other.uri LIMIT 1) AS old, (SELECT min(id) + 1 FROM post) AS new;
     INSERT INTO post SELECT new, time_ms, likes, reposts, replies, quotes, revision, record, NULL
       FROM other.post JOIN new_id ON id = old;
     INSERT INTO uri SELECT hash, new FROM other.uri JOIN new_id ON id = old;`,
  );
  const { findings } = await runCheck(false);
  const twice = findings.find(({ kind }) => kind === "uri_twice");
  expect(twice?.message).toMatch(
    /is stored more than once, as post \d+ in segment bluesky\/\d and \d+ in/,
  );
  expect(twice && findingRemedy(twice)).toMatch(
    /^earshot archive forget --post at:\S+ --allow-return --yes/,
  );
});
