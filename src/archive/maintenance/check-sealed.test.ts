import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { updateCatalogChecksums } from "../../../testkit/archives/change-catalog.ts";
import { updateRowChecksums } from "../../../testkit/archives/row-checksums.ts";
import {
  changeBytes,
  keyNumber,
  makeSealedArchive,
  remove,
  sealedPath,
  upsert,
  withFlippedBit,
  withSegment,
  writeAfterSealing,
} from "../../../testkit/archives/sealed-archive.ts";
import { writerOn } from "../../../testkit/archives/whole-archive.ts";
import { createTermFilter, writeTermFilter } from "../sealed/term-filter.ts";
import { damageMarkerPath } from "../segments/integrity.ts";
import { type CheckReport, check } from "./check.ts";
import { type FindingKind, findingRemedy } from "./findings.ts";

let template = "";
let data = "";

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "earshot-check-sealed-"));
  makeSealedArchive(template);
  writeAfterSealing(template);
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "earshot-check-sealed-"));
  cpSync(template, data, { recursive: true });
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const getFolder = (dataDir: string): string => join(dataDir, "archive");
const signal = new AbortController().signal;

const runCheck = (isFull: boolean, sampleRows = 30): Promise<CheckReport> =>
  check({ folder: getFolder(data), isFull, sampleRows, onProgress: () => {}, signal });

const damageWith = (sql: string) => (): void =>
  withSegment(data, (database) => {
    database.exec(sql);
    updateRowChecksums(database);
  });

const damageBytes =
  (table: string, column: string, where: string, by: (bytes: Uint8Array) => Uint8Array) =>
  (): void =>
    changeBytes(data, { table, column, where }, by);

const deletions = (column: "replaced" | "hidden", number: number) =>
  damageBytes("sealed_mask", column, "chunk = 0", withFlippedBit(number));

describe("sealed segment with later writes", () => {
  test.for([true, false])(
    "a sealed segment with later writes has no findings, full check: %s",
    async (isFull) => {
      const report = await runCheck(isFull);
      expect(report.findings).toEqual([]);
      expect(report).toMatchObject({ segments: 1, posts: 100 });
      const delta = withSegment(data, (database) =>
        database.prepare("SELECT count(*) AS n FROM term_docsize").get(),
      );
      expect(delta).toEqual({ n: 3 });
    },
  );

  test("a sealed segment has no findings while it is being written to", async () => {
    let minute = 0;
    const writer = writerOn(data, 1_000);
    const report = await check({
      folder: getFolder(data),
      isFull: true,
      sampleRows: 1,
      signal,
      onProgress: () => {
        const [created, edited, deleted] = [minute, minute + 1, minute + 2];
        writer.write([
          upsert(`more${minute}`, created, "more words"),
          upsert(`key${edited}`, edited, "edited words", "r3"),
          remove(`key${deleted}`),
        ]);
        minute = (minute + 3) % 90;
      },
    });
    writer.close();
    expect(minute).toBeGreaterThan(0);
    expect(report.findings).toEqual([]);
  });

  test.for([true, false])(
    "check reports a damaged term filter as a single finding, full check: %s",
    async (isFull) => {
      damageBytes("sealed_filter", "bits", "1", withFlippedBit(9))();
      const { findings } = await runCheck(isFull);
      expect(findings.map(({ message }) => message)).toEqual([
        expect.stringMatching(/term filter does not match its checksum/),
      ]);
    },
  );

  test("a sealed index is checked even if another analyzer built it", async () => {
    const catalog = new DatabaseSync(join(getFolder(data), "catalog.db"));
    catalog.exec("UPDATE segment SET analyzer = '0'");
    updateCatalogChecksums(catalog);
    catalog.close();
    expect((await runCheck(true)).findings).toEqual([]);
    damageWith("DELETE FROM sealed_docs WHERE row = 0")();
    expect((await runCheck(true)).findings.map(({ kind }) => kind)).toContain("sealed_damaged");
  });
});

const block = (by: (bytes: Uint8Array) => Uint8Array) =>
  damageBytes("sealed_terms", "block", "first = (SELECT max(first) FROM sealed_terms)", by);
const docs = (by: (bytes: Uint8Array) => Uint8Array) =>
  damageBytes("sealed_docs", "docs", "row = 0", by);
const positions = (by: (bytes: Uint8Array) => Uint8Array) =>
  damageBytes("sealed_positions", "positions", "row = (SELECT min(row) FROM sealed_positions)", by);
const truncated = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, -1);
const ids = (by: (bytes: Uint8Array) => Uint8Array) =>
  damageBytes("sealed_ids", "ids", "page = 0", by);

describe("damaged tables of a sealed index", () => {
  test.for<[string, () => void, FindingKind, RegExp]>([
    ["an unknown format", damageWith("UPDATE sealed SET format = 9"), "sealed_damaged", /format 9/],
    [
      "two header rows",
      damageWith("INSERT INTO sealed SELECT * FROM sealed"),
      "sealed_damaged",
      /2 rows/,
    ],
    [
      "no header row",
      damageWith("DELETE FROM sealed"),
      "sealed_damaged",
      /is not sealed, but has rows/,
    ],
    [
      "more posts than IDs",
      damageWith("UPDATE sealed SET posts = 511"),
      "sealed_damaged",
      /1 pages of IDs for 511 posts, not 2/,
    ],
    [
      "fewer posts than IDs",
      damageWith("UPDATE sealed SET posts = 99"),
      "sealed_damaged",
      /page 0/,
    ],
    [
      "a missing page of IDs",
      damageWith("DELETE FROM sealed_ids"),
      "sealed_damaged",
      /0 pages of IDs/,
    ],
    [
      "a page with a wrong number",
      damageWith("UPDATE sealed_ids SET page = 1"),
      "sealed_damaged",
      /page 0/,
    ],
    ["a truncated page", ids(truncated), "sealed_damaged", /page 0/],
    [
      "IDs that are not in order",
      ids(withFlippedBit(64 * 40 + 60)),
      "sealed_damaged",
      /post \d+ has doc number 4[01], after/,
    ],
    [
      "a changed ID, whose post is no longer indexed",
      ids(withFlippedBit(64 * 40)),
      "index_lacks",
      /post \d+ is not in the index/,
    ],
    [
      "a changed ID, which is indexed but not stored",
      ids(withFlippedBit(64 * 40)),
      "index_exceeds",
      /has post \d+, which is not stored/,
    ],
    [
      "a wrong first ID of a page",
      damageBytes("sealed", "heads", "1", withFlippedBit(3)),
      "sealed_damaged",
      /page 0 of its IDs begins with post \d+, but the list of first IDs has \d+/,
    ],
    [
      "a truncated list of first IDs",
      damageBytes("sealed", "heads", "1", truncated),
      "sealed_damaged",
      /first IDs has 7 bytes/,
    ],
    [
      "a truncated block",
      block(truncated),
      "sealed_damaged",
      /block of terms that begins with ".*" cannot be read/,
    ],
    [
      "a block that is too long",
      block((bytes) => Buffer.concat([bytes, Buffer.from([3])])),
      "sealed_damaged",
      /ends within a number/,
    ],
    ["an empty block", block(() => new Uint8Array(0)), "sealed_damaged", /ends within a number/],
    [
      "a block stored under another term",
      damageWith("UPDATE sealed_terms SET first = first || 'a'"),
      "sealed_damaged",
      /its first term differs from its key/,
    ],
    [
      "swapped blocks",
      damageWith(`UPDATE sealed_terms AS one SET block = (SELECT block FROM sealed_terms AS other
        ORDER BY first = one.first, first LIMIT 1) WHERE first < 'm'`),
      "sealed_damaged",
      /its first term differs from its key/,
    ],
    [
      "a flipped bit in the term filter",
      damageBytes("sealed_filter", "bits", "1", withFlippedBit(9)),
      "sealed_damaged",
      /term filter does not match its checksum/,
    ],
    [
      "a term filter of other terms",
      () =>
        withSegment(data, (database) => {
          const posts = Number(database.prepare("SELECT posts FROM sealed").get()?.posts);
          database.exec("DELETE FROM sealed_filter");
          writeTermFilter(database, posts, createTermFilter().end());
        }),
      "sealed_damaged",
      /term filter does not match its terms/,
    ],
    [
      "a missing row of doc numbers",
      damageWith("DELETE FROM sealed_docs WHERE row = 0"),
      "sealed_damaged",
      /term ".+": row 0/,
    ],
    [
      "a row of doc numbers that belongs to no term",
      damageWith("INSERT INTO sealed_docs SELECT 99999, docs, sum FROM sealed_docs LIMIT 1"),
      "sealed_damaged",
      /row 99999 of sealed_docs belongs to no term/,
    ],
    [
      "a truncated row of doc numbers",
      docs(truncated),
      "sealed_damaged",
      /term ".+": its containers have \d+ bytes/,
    ],
    [
      "doc numbers that are not in order",
      docs(withFlippedBit(16 * 20 + 14)),
      "sealed_damaged",
      /term ".+": /,
    ],
    [
      "a missing row of positions",
      damageWith(
        "DELETE FROM sealed_positions WHERE row = (SELECT max(row) FROM sealed_positions)",
      ),
      "sealed_damaged",
      /term ".+": row \d+ of sealed_positions is missing/,
    ],
    [
      "a row of positions that belongs to no term",
      damageWith(
        "INSERT INTO sealed_positions SELECT 99999, positions, sum FROM sealed_positions LIMIT 1",
      ),
      "sealed_damaged",
      /row 99999 of sealed_positions belongs to no term/,
    ],
    [
      "truncated positions",
      positions(truncated),
      "sealed_damaged",
      /term ".+": its positions have \d+ bytes/,
    ],
    [
      "a truncated deletion bitmap",
      damageBytes("sealed_mask", "hidden", "1", truncated),
      "sealed_damaged",
      /hidden bitmap of chunk 0/,
    ],
    [
      "a deletion bitmap of a nonexistent chunk",
      damageWith("INSERT INTO sealed_mask SELECT 1, replaced, hidden, sum FROM sealed_mask"),
      "sealed_damaged",
      /chunk 1, but there are only 1/,
    ],
    [
      "a deletion bitmap with a nonexistent doc number",
      damageBytes("sealed_mask", "replaced", "1", withFlippedBit(500)),
      "sealed_damaged",
      /number 500, but there are only 101/,
    ],
    [
      "an extra replaced bit",
      deletions("replaced", keyNumber(40)),
      "index_lacks",
      /post \d+ is not in the index/,
    ],
    [
      "a missing replaced bit, of an edited post",
      deletions("replaced", keyNumber(10)),
      "index_exceeds",
      /has post \d+ twice/,
    ],
    [
      "a missing replaced bit, of a deleted post",
      deletions("replaced", keyNumber(12)),
      "index_exceeds",
      /has post \d+, which is not stored/,
    ],
    [
      "an extra hidden bit",
      deletions("hidden", keyNumber(40)),
      "index_lacks",
      /hides post \d+, which is not hidden/,
    ],
    [
      "a missing hidden bit",
      deletions("hidden", keyNumber(5)),
      "index_exceeds",
      /shows post \d+, which is hidden/,
    ],
    ["a missing deletion bitmap", damageWith("DELETE FROM sealed_mask"), "index_exceeds", /twice/],
    [
      "a post in both indexes",
      damageWith("INSERT INTO term(rowid, terms) SELECT max(id), 'is:post' FROM post"),
      "index_exceeds",
      /has post \d+ twice, in the sealed index and in FTS5/,
    ],
    [
      "a post in neither index",
      damageWith("DELETE FROM term WHERE rowid = (SELECT max(id) FROM term_docsize)"),
      "index_lacks",
      /post \d+ is not in the index/,
    ],
    [
      "a deleted row",
      damageWith("DELETE FROM post WHERE id = (SELECT max(id) FROM post)"),
      "index_exceeds",
      /not stored/,
    ],
    [
      "a damage marker",
      () => writeFileSync(damageMarkerPath(sealedPath(data)), ""),
      "sealed_damaged",
      /000002\.damaged marks/,
    ],
  ])("a sampling check detects a damaged sealed index: %s", async ([, damage, kind, message]) => {
    damage();
    const { findings } = await runCheck(false);
    const texts = findings.filter((finding) => finding.kind === kind).map((found) => found.message);
    expect(texts.join("\n")).toMatch(message);
    const remedies = findings.map(findingRemedy);
    expect(remedies).toContain("earshot archive reindex --segment bluesky/2");
  });
});

const moveLastPosition = positions((bytes) => {
  bytes[bytes.length - 1] = 200;
  return bytes;
});

describe.for([true, false])("wrong entries in a sealed index, full check: %s", (isFull) => {
  test.for<[string, () => void, FindingKind, RegExp]>([
    [
      "a missing block",
      damageWith("DELETE FROM sealed_terms WHERE first = (SELECT max(first) FROM sealed_terms)"),
      "index_lacks",
      /does not list post \d+ under "/,
    ],
    ["a changed position", moveLastPosition, "index_lacks", /does not list post \d+ under "/],
    [
      "a changed position, found by the index",
      moveLastPosition,
      "index_exceeds",
      /lists post \d+ under ".+", which the post does not contain/,
    ],
    [
      "other words of a post",
      damageWith("UPDATE post SET record = replace(record, 'of post 77', 'of guest 77')"),
      "index_lacks",
      /does not list post \d+ under "guest"/,
    ],
    [
      "other words of a post, found by the index",
      damageWith("UPDATE post SET record = replace(record, 'of post 77', 'of guest 77')"),
      "index_exceeds",
      /lists post \d+ under "post", which the post does not contain/,
    ],
    [
      "a count whose facets are not indexed",
      damageWith("UPDATE post SET likes = 1000 WHERE id = (SELECT max(id) FROM post)"),
      "index_lacks",
      /under "likes>=10", "likes>=100", "likes>=1000"/,
    ],
    [
      "an indexed count facet that the post does not have",
      damageWith("UPDATE post SET likes = 0 WHERE id = (SELECT max(id) FROM post)"),
      "index_exceeds",
      /under "likes>=1", which the post does not contain/,
    ],
  ])(
    "check names the posts with wrong entries in a sealed index: %s",
    async ([, damage, kind, message]) => {
      damage();
      const { findings } = await runCheck(isFull, 1_000);
      const matching = findings.filter((finding) => finding.kind === kind);
      expect(matching.map((found) => found.message).join("\n")).toMatch(message);
      expect(matching.every(({ id }) => id !== null)).toBe(true);
    },
  );
});
