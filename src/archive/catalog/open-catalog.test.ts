import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { analyzerVersion } from "@earshot/query/text";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { openArchive } from "../threads/open.ts";
import { currentAnalyzer } from "./catalog.ts";
import { damagedCatalogTables } from "./checksums.ts";
import { openCatalog } from "./open-catalog.ts";
import { catalogMigrations } from "./schema.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const newerSchemaError = expect.objectContaining({ code: "newer_schema" });
const everything = { plan: { kind: "all" } } as const;

function setAnalyzer(analyzer: string): void {
  const catalog = openCatalog(archive.folder);
  changeCatalog(catalog, `UPDATE segment SET analyzer = '${analyzer}'`);
  catalog.close();
}

function deleteTerms(): void {
  const segment = new DatabaseSync(join(archive.folder, "bluesky", "000001.db"));
  segment.exec("INSERT INTO term(term) VALUES('delete-all')");
  segment.close();
}

test("the catalog records the analyzer of a new segment", () => {
  archive.put(makePost());
  const catalog = openCatalog(archive.folder);
  expect(catalog.prepare("SELECT analyzer FROM segment").get()).toEqual({
    analyzer: currentAnalyzer,
  });
  catalog.close();
});

describe("a segment with another analyzer", () => {
  test.each(["0", `${analyzerVersion - 1} 16.0`, `${analyzerVersion} 1.0`])(
    "a segment with another analyzer (%s) is searched row by row, without losing matches",
    (analyzer) => {
      archive.put(
        makePost({ key: "1", text: "the river" }),
        makePost({ key: "2", text: "the harbour" }),
      );
      deleteTerms();
      setAnalyzer(analyzer);
      expect(archive.query("river").positions).toHaveLength(1);
      expect(archive.query("the -river").positions).toHaveLength(1);
      expect(archive.query("the").positions).toHaveLength(2);
    },
  );

  test("after a batch is written to a segment with another analyzer, later posts go to a new segment", () => {
    archive.put(makePost({ key: "1", text: "the river" }));
    setAnalyzer("1 15.0");
    archive.put(makePost({ key: "2", createdMs: Date.UTC(2026, 0, 2), text: "the harbour" }));
    archive.put(makePost({ key: "3", createdMs: Date.UTC(2026, 0, 3), text: "the tower" }));
    const { positions, work } = archive.query("the");
    expect(positions).toHaveLength(3);
    expect(work.segmentsOfPlatforms).toBe(2);
  });

  test("a segment with a later analyzer is rejected, even by processes that have it open", async () => {
    archive.put(makePost());
    expect(archive.search(everything).positions).toHaveLength(1);
    setAnalyzer(`${analyzerVersion + 1} 16.0`);
    expect(() => archive.search(everything)).toThrow(newerSchemaError);
    expect(() => archive.put(makePost({ key: "2" }))).toThrow(newerSchemaError);
    expect(() => openCatalog(archive.folder)).toThrow(newerSchemaError);
    const settings = { dataDir: dirname(archive.folder), readers: 1, segmentPosts: 10 };
    const opening = openArchive({ ...settings, clock: systemClock });
    await expect(opening).rejects.toMatchObject({ code: "newer_schema" });
  });
});

describe("an archive in the first format", () => {
  function makeFirstFormat(folder: string): void {
    const version = (database: DatabaseSync) => database.exec("PRAGMA user_version = 1");
    mkdirSync(join(folder, "bluesky"), { recursive: true });
    const catalog = new DatabaseSync(join(folder, "catalog.db"));
    catalog.exec("PRAGMA journal_mode = WAL");
    catalog.exec(catalogMigrations[0] ?? "");
    catalog.exec(`
      UPDATE setting SET value = '1' WHERE name = 'analyzer';
      INSERT INTO segment VALUES('bluesky', 1, 0, 0, 0);
      INSERT INTO coverage VALUES('bluesky', 'jetstream', 1000, 2000);
    `);
    version(catalog);
    catalog.close();
    const segment = new DatabaseSync(join(folder, "bluesky", "000001.db"));
    segment.exec("PRAGMA journal_mode = WAL");
    segment.exec(segmentMigrations[0] ?? "");
    segment.exec(`
      INSERT INTO post VALUES(2000000000000000000, 1765672189543, NULL, NULL, NULL, NULL, '', '"an old harbour"');
      INSERT INTO term(rowid, terms) VALUES(2000000000000000000, 'is:post');
      UPDATE setting SET value = 1 WHERE name = 'posts';
    `);
    version(segment);
    segment.close();
  }

  test("an archive in the first format is migrated with all of its content when it is opened", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "earshot-catalog-"));
    makeFirstFormat(join(dataDir, "archive"));
    const migratedArchive = await openArchive({
      dataDir,
      readers: 1,
      segmentPosts: 10,
      clock: systemClock,
    });
    const { segments, coverage: intervals } = await migratedArchive.stats();
    expect(segments).toMatchObject([{ posts: 1, imported: 1, current: false }]);
    expect(intervals).toMatchObject([
      { intervals: [{ collection: "posts", account: null, fromMs: 1000, toMs: 2000 }] },
    ]);
    const found = await migratedArchive.search({
      plan: { kind: "terms", elements: [{ kind: "token", token: "harbour" }] },
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after: null,
      limit: 10,
      deadlineMs: Number.POSITIVE_INFINITY,
    });
    expect(found.positions).toEqual([{ id: 2000000000000000000n, platform: "bluesky" }]);
    await migratedArchive.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe("an archive with the names of catalog schema 11 and segment schema 9", () => {
  const start = Date.UTC(2026, 0, 1);
  const at = (n: number) =>
    makePost({ key: `${n}`, createdMs: start + n * 60_000, text: `post ${n}` });
  const numbersSql =
    "SELECT number, hex(low) AS low, hex(high) AS high, hex(ids) AS ids FROM ingest_order ORDER BY rowid";

  function change(path: string, sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  }

  function rows(path: string, sql: string): unknown[] {
    const database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare(sql).all();
    database.close();
    return found;
  }

  const segmentPaths = (): string[] =>
    [1, 2, 3].map((number) => join(archive.folder, "bluesky", `00000${number}.db`));
  const catalogFile = (): string => join(archive.folder, "catalog.db");
  const segmentVersions = (): unknown[] =>
    segmentPaths().flatMap((path) => rows(path, "PRAGMA user_version"));

  function makeArchiveWithFormerNames(): void {
    archive = smallArchive(2);
    archive.put(...[1, 2, 3, 4, 5].map(at));
    archive.put({ ...at(2), text: "edited" });
    const catalog = openCatalog(archive.folder);
    changeCatalog(
      catalog,
      `INSERT INTO misplaced VALUES('bluesky', 7, 8);
       INSERT INTO pending_moderation VALUES('bluesky', 'did:plc:other');
       INSERT INTO pending_rewrite VALUES('bluesky', 1);
       INSERT INTO pending_seal VALUES('bluesky', 2);`,
    );
    catalog.close();
    change(
      catalogFile(),
      `ALTER TABLE misplaced RENAME TO strayed;
       ALTER TABLE pending_moderation RENAME TO unjudged;
       ALTER TABLE pending_rewrite RENAME TO wanted_rewrite;
       ALTER TABLE pending_seal RENAME TO wanted_seal;
       UPDATE setting SET name = 'arrival' WHERE name = 'ingest_number';
       UPDATE setting SET name = 'arrivals_from' WHERE name = 'ingest_order_from';
       PRAGMA user_version = 11`,
    );
    for (const path of segmentPaths()) {
      change(path, "ALTER TABLE ingest_order RENAME TO arrival; PRAGMA user_version = 9");
    }
  }

  function expectMigrated(): void {
    expect(segmentVersions()).toEqual(segmentPaths().map(() => ({ user_version: 10 })));
    const tables = ["misplaced", "pending_moderation", "pending_rewrite", "pending_seal"];
    for (const table of tables) {
      expect(rows(catalogFile(), `SELECT * FROM ${table}`), table).toHaveLength(1);
    }
    const settings =
      "SELECT value FROM setting WHERE name IN ('ingest_number', 'ingest_order_from')";
    expect(rows(catalogFile(), settings)).toEqual([{ value: "5" }, { value: "0" }]);
    const order = archive.reader.operations.ingestOrder({ after: null, limit: 9 });
    const texts = order.flatMap((post) => archive.records([post]).map(({ Content }) => Content));
    expect(texts).toEqual(["post 1", "edited", "post 3", "post 4", "post 5"]);
  }

  test("an archive with catalog schema 11 and segment schema 9 is migrated with all of its content, and is intact", () => {
    makeArchiveWithFormerNames();
    const before = segmentPaths().map((path) =>
      rows(path, numbersSql.replace("ingest_order", "arrival")),
    );
    archive.reopen();
    expect(segmentPaths().map((path) => rows(path, numbersSql))).toEqual(before);
    expectMigrated();
    archive.put(at(6));
    expect(archive.query("post").positions).toHaveLength(5);
    const catalog = openCatalog(archive.folder);
    expect(damagedCatalogTables(catalog)).toEqual([]);
    catalog.close();
  });

  test("an archive with catalog schema 11 is migrated after a crash during the migration of its segments", () => {
    makeArchiveWithFormerNames();
    const [first = ""] = segmentPaths();
    openSegmentFile(first, 100).close();
    expect(segmentVersions()[0]).toEqual({ user_version: 10 });
    archive.reopen();
    expectMigrated();
  });
});

test("two concurrent calls can create an archive in the same empty folder", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "earshot-catalog-"));
  mkdirSync(join(dataDir, "archive"));
  const settings = { dataDir, readers: 1, segmentPosts: 10, clock: systemClock };
  const opened = await Promise.all([openArchive(settings), openArchive(settings)]);
  for (const stored of opened) expect((await stored.stats()).segments).toEqual([]);
  await Promise.all(opened.map((stored) => stored.close()));
  rmSync(dataDir, { recursive: true, force: true });
});
