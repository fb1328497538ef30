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
import { openArchive } from "../threads/open.ts";
import { presentAnalyzer } from "./catalog.ts";
import { openCatalog } from "./open-catalog.ts";
import { catalogMigrations } from "./schema.ts";

let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive();
});
afterEach(() => archive.remove());

const newer = expect.objectContaining({ code: "newer_schema" });
const everything = { plan: { kind: "all" } } as const;

function note(analyzer: string): void {
  const catalog = openCatalog(archive.folder);
  changeCatalog(catalog, `UPDATE segment SET analyzer = '${analyzer}'`);
  catalog.close();
}

function spoilTerms(): void {
  const segment = new DatabaseSync(join(archive.folder, "bluesky", "000001.db"));
  segment.exec("INSERT INTO term(term) VALUES('delete-all')");
  segment.close();
}

test("records the analyzer of a new segment", () => {
  archive.put(makePost());
  const catalog = openCatalog(archive.folder);
  expect(catalog.prepare("SELECT analyzer FROM segment").get()).toEqual({
    analyzer: presentAnalyzer,
  });
  catalog.close();
});

describe("segment of another analyzer", () => {
  test.each(["0", `${analyzerVersion - 1} 16.0`, `${analyzerVersion} 1.0`])(
    "(%s) is searched row by row, without losing matches",
    (analyzer) => {
      archive.put(
        makePost({ key: "1", text: "the river" }),
        makePost({ key: "2", text: "the harbour" }),
      );
      spoilTerms();
      note(analyzer);
      expect(archive.query("river").positions).toHaveLength(1);
      expect(archive.query("the -river").positions).toHaveLength(1);
      expect(archive.query("the").positions).toHaveLength(2);
    },
  );

  test("receives the batch, and is then cut, so that the next segment has present terms only", () => {
    archive.put(makePost({ key: "1", text: "the river" }));
    note("1 15.0");
    archive.put(makePost({ key: "2", createdMs: Date.UTC(2026, 0, 2), text: "the harbour" }));
    archive.put(makePost({ key: "3", createdMs: Date.UTC(2026, 0, 3), text: "the tower" }));
    const { positions, work } = archive.query("the");
    expect(positions).toHaveLength(3);
    expect(work.segmentsOfPlatforms).toBe(2);
  });

  test("of a later version is refused, also by processes that have it open", async () => {
    archive.put(makePost());
    expect(archive.search(everything).positions).toHaveLength(1);
    note(`${analyzerVersion + 1} 16.0`);
    expect(() => archive.search(everything)).toThrow(newer);
    expect(() => archive.put(makePost({ key: "2" }))).toThrow(newer);
    expect(() => openCatalog(archive.folder)).toThrow(newer);
    const settings = { dataDir: dirname(archive.folder), readers: 1, segmentPosts: 10 };
    const opening = openArchive({ ...settings, clock: systemClock });
    await expect(opening).rejects.toMatchObject({ code: "newer_schema" });
  });
});

describe("archive of the first format", () => {
  function makeFirstForm(folder: string): void {
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

  test("is migrated with all of its content when it is opened", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "earshot-catalog-"));
    makeFirstForm(join(dataDir, "archive"));
    const stored = await openArchive({ dataDir, readers: 1, segmentPosts: 10, clock: systemClock });
    const { segments, coverage: intervals } = await stored.stats();
    expect(segments).toMatchObject([{ posts: 1, imported: 1, current: false }]);
    expect(intervals).toMatchObject([
      { intervals: [{ collection: "posts", account: null, fromMs: 1000, toMs: 2000 }] },
    ]);
    const found = await stored.search({
      plan: { kind: "terms", elements: [{ kind: "token", token: "harbour" }] },
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after: null,
      limit: 10,
      deadlineMs: Number.POSITIVE_INFINITY,
    });
    expect(found.positions).toEqual([{ id: 2000000000000000000n, platform: "bluesky" }]);
    await stored.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

test("creates an archive in an empty folder, by several processes at once", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "earshot-catalog-"));
  mkdirSync(join(dataDir, "archive"));
  const settings = { dataDir, readers: 1, segmentPosts: 10, clock: systemClock };
  const opened = await Promise.all([openArchive(settings), openArchive(settings)]);
  for (const stored of opened) expect((await stored.stats()).segments).toEqual([]);
  await Promise.all(opened.map((stored) => stored.close()));
  rmSync(dataDir, { recursive: true, force: true });
});
