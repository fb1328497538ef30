import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { updateCatalogChecksums } from "../../../testkit/archives/change-catalog.ts";
import { updateRowChecksums } from "../../../testkit/archives/row-checksums.ts";
import { sealAll } from "../../../testkit/archives/seal-all.ts";
import { storedPosts, writerOn } from "../../../testkit/archives/whole-archive.ts";
import { pageMap } from "../../../testkit/corruption/page-map.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import { catalogPath, readSegments, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { addPendingRewrites, pendingRewrites } from "../catalog/pending-tasks.ts";
import { type CompactionContext, compactionContext } from "../compaction/context.ts";
import type { RewriteReport } from "../compaction/replace-segment.ts";
import { rewriteSegment } from "../compaction/rewrite.ts";
import { sealSegment } from "../compaction/seal-segment.ts";
import { type CompactionSteps, runSteps } from "../compaction/steps.ts";
import { inTransaction } from "../database.ts";
import { archiveDefaults } from "../settings.ts";
import { check } from "./check.ts";
import { findingKinds, findingRemedy } from "./findings.ts";
import { requestRewrites, rewritePending } from "./rewrite-pending.ts";

let template = "";
let data = "";

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "earshot-rewrite-"));
  const writer = writerOn(template, 30);
  const posts = Array.from({ length: 40 }, (_, n) =>
    makePost({ key: `key${n}`, createdMs: Date.UTC(2026, 0, 1, 0, n), text: `post ${n}` }),
  );
  posts.push(
    makePost({ key: "3mabcdefghijk", createdMs: Date.UTC(2025, 11, 1), text: "misplaced" }),
  );
  writer.write(posts.map((post) => ({ kind: "upsert", post })));
  writer.close();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "earshot-rewrite-"));
  cpSync(template, data, { recursive: true });
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const signal = new AbortController().signal;
const onProgress = (): void => {};
const folder = (): string => join(data, "archive");

const runCheck = () => check({ folder: folder(), isFull: true, sampleRows: 1, onProgress, signal });

const runRewrites = () =>
  rewritePending({
    folder: folder(),
    bounds: archiveDefaults,
    clock: systemClock,
    onProgress,
    signal,
  });

function change(path: string, sql: string, checksums: "updated" | "stale" = "updated"): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  if (path === catalogPath(folder())) updateCatalogChecksums(database);
  else if (checksums === "updated") updateRowChecksums(database);
  database.close();
}

const inSegment =
  (sql: string, checksums: "updated" | "stale" = "updated") =>
  () =>
    change(segmentPath(folder(), { platform: "bluesky", sequence: 1 }), sql, checksums);

const onePostId = "(SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 12)";

function zeroUriPage(): void {
  const path = segmentPath(folder(), { platform: "bluesky", sequence: 1 });
  const { pageBytes, tables } = pageMap(path);
  const page = tables.find(({ table }) => table === "uri")?.pages[0] ?? 0;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
}

const damages: Record<string, () => void> = {
  file_damaged: zeroUriPage,
  row_unreadable: inSegment(`UPDATE post SET revision = 'other' WHERE id = ${onePostId}`, "stale"),
  index_lacks: inSegment(`DELETE FROM term WHERE rowid = ${onePostId}`),
  index_exceeds: inSegment(
    `UPDATE post SET record = replace(record, 'post 11', 'post') WHERE id = ${onePostId}`,
  ),
  number_differs: inSegment("UPDATE setting SET value = 7 WHERE name IN ('posts', 'imported')"),
  uri_entry_missing: inSegment(`DELETE FROM uri WHERE id = ${onePostId}`),
  uri_entry_wrong: inSegment("INSERT INTO uri VALUES(5, 5), (6, (SELECT max(id) FROM post))"),
  hidden_without_post: inSegment("INSERT INTO hidden VALUES(5)"),
  time_outside: inSegment(`UPDATE post SET time_ms = time_ms + 1 WHERE id = ${onePostId}`),
  sealed_damaged: inSegment("INSERT INTO sealed_docs VALUES(1, x'00', NULL)"),
  sums_differ: inSegment("INSERT INTO hidden VALUES(5)", "stale"),
  stray_not_listed: () => change(catalogPath(folder()), "DELETE FROM misplaced"),
};

test("this file tests every kind of finding whose remedy is a rewrite", () => {
  const repaired = Object.entries(findingKinds).filter(([, remedy]) => remedy.includes("reindex"));
  expect(Object.keys(damages).sort()).toEqual(repaired.map(([kind]) => kind).sort());
});

test.for(Object.entries(damages))(
  "the remedy for the finding %s repairs the segment",
  async ([kind, damage]) => {
    const before = storedPosts(folder()).length;
    damage();
    const { findings } = await runCheck();
    const found = findings.find((finding) => finding.kind === kind);
    expect(found && findingRemedy(found)).toBe("earshot archive reindex --segment bluesky/1");
    await requestRewrites(folder(), { segment: "bluesky/1" }, signal);
    expect(await runRewrites()).toMatchObject({
      isQueued: false,
      segments: 1,
      oldFilesRemoved: true,
    });
    expect((await runCheck()).findings).toEqual([]);
    expect(storedPosts(folder()).length).toBe(kind === "row_unreadable" ? before - 1 : before);
  },
);

describe("sealed segment", () => {
  beforeEach(() => sealAll(folder()));

  const sealedPath = (): string => segmentPath(folder(), { platform: "bluesky", sequence: 3 });

  function overwritePage(table: string): void {
    const database = new DatabaseSync(sealedPath());
    const find = database.prepare("SELECT max(pageno) AS page FROM dbstat WHERE name = ?");
    const page = Number(find.get(table)?.page);
    database.close();
    const file = openSync(sealedPath(), "r+");
    writeSync(file, Buffer.alloc(8_192, 255), 0, 8_192, (page - 1) * 8_192);
    closeSync(file);
  }

  test.for([
    ["the dictionary is missing", "DELETE FROM sealed_terms"],
    ["the IDs are missing", "DELETE FROM sealed_ids"],
    [
      "a deletion bitmap excludes a post that was not replaced",
      "UPDATE sealed_mask SET replaced = zeroblob(8191), hidden = x'00'",
    ],
    ["a page of the dictionary is malformed", null],
  ] as const)("the remedy repairs a sealed segment if %s", async ([, sql]) => {
    const before = storedPosts(folder());
    if (sql === null) overwritePage("sealed_terms");
    else change(sealedPath(), sql);
    const { findings } = await runCheck();
    expect(findings.map(findingRemedy)).toContain("earshot archive reindex --segment bluesky/3");
    await requestRewrites(folder(), { segment: "bluesky/3" }, signal);
    expect(await runRewrites()).toMatchObject({
      isQueued: false,
      segments: 1,
      oldFilesRemoved: true,
    });
    expect((await runCheck()).findings).toEqual([]);
    expect(storedPosts(folder())).toEqual(before);
  });
});

function pendingAfter(
  replacement: (context: CompactionContext, entry: SegmentEntry) => CompactionSteps<RewriteReport>,
  concurrent: (context: CompactionContext, entry: SegmentEntry) => void,
): string[] {
  const context = compactionContext(folder(), archiveDefaults, systemClock);
  try {
    const [entry] = readSegments(context.catalog);
    if (entry === undefined) throw new Error("no segment");
    const steps = replacement(context, entry);
    steps.next();
    concurrent(context, entry);
    runSteps(steps);
    return pendingRewrites(context.catalog).map(({ sequence }) => `bluesky/${sequence}`);
  } finally {
    context.catalog.close();
  }
}

const rewriting = (context: CompactionContext, entry: SegmentEntry) =>
  rewriteSegment(context, entry, { cuts: [], shouldKeep: null });

describe("requested rewrite", () => {
  const requestRewrite = ({ catalog }: CompactionContext, entry: SegmentEntry): void =>
    inTransaction(catalog, () => addPendingRewrites(catalog, [entry]));

  test("a requested rewrite is completed by a rewrite that begins later", async () => {
    await requestRewrites(folder(), { segment: "bluesky/1" }, signal);
    expect(pendingAfter(rewriting, () => {})).toEqual([]);
  });

  test.for([
    ["rewriting", rewriting],
    ["sealing", sealSegment],
  ] as const)(
    "a requested rewrite stays pending if it was requested during %s",
    async ([, replacement]) => {
      await requestRewrites(folder(), { segment: "bluesky/1" }, signal);
      expect(pendingAfter(replacement, requestRewrite)).toEqual(["bluesky/3"]);
    },
  );

  test("a requested rewrite is not completed by sealing, which copies the index", async () => {
    await requestRewrites(folder(), { segment: "bluesky/1" }, signal);
    expect(pendingAfter(sealSegment, () => {})).toEqual(["bluesky/3"]);
  });
});

test("a requested rewrite stays pending if it is aborted", async () => {
  await requestRewrites(folder(), "all", signal);
  const stopping = new AbortController();
  const stopped = rewritePending({
    folder: folder(),
    bounds: archiveDefaults,
    clock: systemClock,
    onProgress: () => stopping.abort(new Error("enough")),
    signal: stopping.signal,
  });
  await expect(stopped).rejects.toThrow("enough");
  expect((await runCheck()).findings).toEqual([]);
  expect(await runRewrites()).toMatchObject({ segments: 2 });
  expect((await runCheck()).findings).toEqual([]);
});
