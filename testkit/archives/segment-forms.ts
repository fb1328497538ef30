import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openForReading, openForWriting } from "../../src/archive/database.ts";
import { buildSealed } from "../../src/archive/sealed/build.ts";
import { deletionBitmapWriter } from "../../src/archive/sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../../src/archive/sealed/doc-numbers.ts";
import { createIdCache, useIdCache } from "../../src/archive/sealed/id-cache.ts";
import { type IndexCost, indexCost } from "../../src/archive/segments/index-cost.ts";
import { isMarkedDamaged } from "../../src/archive/segments/integrity.ts";
import { segmentMigrations } from "../../src/archive/segments/schema.ts";
import { createSealedCaches } from "../../src/archive/segments/sealed-index-reader.ts";
import { openSegment, type Segment } from "../../src/archive/segments/segment.ts";
import {
  openSegmentWriter,
  type SegmentWriter,
} from "../../src/archive/segments/segment-writer.ts";
import { encodeRecord } from "../../src/posts/record.ts";
import { makePost } from "../data/make-post.ts";
import { updateRowChecksums } from "./row-checksums.ts";

export type IndexedPost = { id: bigint; timeMs: number; terms: string };

export type SegmentForms = {
  plain: Segment;
  sealed: Segment;
  write(work: (writer: SegmentWriter) => void): void;
  reseal(): void;
  inspect<Value>(read: (plain: DatabaseSync, sealed: DatabaseSync) => Value): Value;
  remove(): void;
};

const platform = "x";
const cacheKib = 64_000;
/** Shared record: on X the uri follows from the ID. */
const plainRecord = encodeRecord(makePost({ platform, nativeId: 1n, userId: null }), 0);

/** Lets FTS5 answer in one statement. */
export const inOneStatement = (): IndexCost => ({ isBounded: () => true });

export function segmentForms(
  posts: Iterable<IndexedPost>,
  costOf: typeof indexCost = indexCost,
): SegmentForms {
  return makeForms((path) => writePosts(path, posts), costOf);
}

export const segmentFormsFromFile = (path: string): SegmentForms =>
  makeForms((copy) => copyFileSync(path, copy));

function makeForms(make: (path: string) => void, costOf = indexCost): SegmentForms {
  const folder = mkdtempSync(join(tmpdir(), "earshot-forms-"));
  const plainPath = join(folder, "plain.db");
  let generation = 1;
  const sealedPath = (): string => join(folder, `sealed-${generation}.db`);
  make(plainPath);
  sealFile(plainPath, plainPath, sealedPath());
  // So small that entries are evicted.
  const caches = createSealedCaches(4_000_000, useIdCache(createIdCache(500_000), 8));
  const open = (path: string): Segment => openSegment(path, platform, cacheKib, caches, costOf);
  const plain = open(plainPath);
  let sealed = open(sealedPath());

  return {
    plain,
    get sealed() {
      return sealed;
    },
    write: (work) => {
      for (const path of [plainPath, sealedPath()]) {
        const writer = openSegmentWriter(path, platform, cacheKib);
        writer.begin(false, 1);
        work(writer);
        writer.commit();
        writer.close();
      }
    },
    reseal: () => {
      const previousPath = sealedPath();
      generation += 1;
      sealFile(previousPath, plainPath, sealedPath());
      sealed.close();
      sealed = open(sealedPath());
    },
    inspect: (read) => {
      const databases = [plainPath, sealedPath()].map((path) => openForReading(path, cacheKib));
      try {
        const [first, second] = databases;
        if (first === undefined || second === undefined) throw new Error("no files");
        return read(first, second);
      } finally {
        for (const database of databases) database.close();
      }
    },
    remove: () => {
      plain.close();
      sealed.close();
      const isDamaged = isMarkedDamaged(sealedPath());
      rmSync(folder, { recursive: true, force: true });
      // Searches do not use a damaged index.
      if (isDamaged) throw new Error("the sealed index was marked as damaged");
    },
  };
}

function writePosts(path: string, posts: Iterable<IndexedPost>): void {
  const database = openForWriting(path, segmentMigrations, cacheKib);
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  const insertPost = database.prepare(
    "INSERT INTO post VALUES(?, ?, NULL, NULL, NULL, NULL, '', ?, NULL)",
  );
  const insertTerms = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
  let count = 0;
  for (const { id, timeMs, terms } of posts) {
    insertPost.run(id, timeMs, plainRecord);
    insertTerms.run(id, terms);
    count += 1;
  }
  updateRowChecksums(database);
  database.exec(`UPDATE setting SET value = ${count} WHERE name = 'posts'; COMMIT`);
  database.close();
}

function sealFile(sourcePath: string, rowsPath: string, targetPath: string): void {
  checkpoint(rowsPath);
  copyFileSync(rowsPath, targetPath);
  const target = openForWriting(targetPath, segmentMigrations, cacheKib);
  const source = openForReading(sourcePath, cacheKib);
  target.exec("PRAGMA synchronous = OFF");
  const selectIds = target.prepare("SELECT id FROM post ORDER BY id DESC");
  selectIds.setReadBigInts(true);
  const ids = BigInt64Array.from(selectIds.all().map(({ id }) => id as bigint));
  source.exec("BEGIN");
  target.exec("BEGIN");
  for (const _ of buildSealed(source, target, ids, 0));
  target.exec("INSERT INTO term(term) VALUES('delete-all')");
  markHidden(target, targetPath);
  target.exec("COMMIT");
  source.exec("COMMIT");
  source.close();
  target.close();
}

function markHidden(target: DatabaseSync, name: string): void {
  const selectHidden = target.prepare("SELECT id FROM hidden");
  selectHidden.setReadBigInts(true);
  const hiddenRows = selectHidden.all();
  if (hiddenRows.length === 0) return;
  const numbers = openDocNumbers(target, name, null);
  const deletions = deletionBitmapWriter(target, numbers);
  for (const { id } of hiddenRows) deletions.hide(id as bigint);
  deletions.flush();
  numbers.close();
}

function checkpoint(path: string): void {
  const database = openForWriting(path, segmentMigrations, cacheKib);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
