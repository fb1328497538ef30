import type { DatabaseSync } from "node:sqlite";
import { bigIntPreparer } from "../database.ts";
import { postRowChecksumSql } from "../segments/checked-rows.ts";
import type { CompactionSteps } from "./steps.ts";

const postsPerStep = 2_500;
const rowsPerStep = 10_000;

const lowestHash = -(2n ** 63n);

/**
 * Copies all but the index and deletions into an empty segment, and adds missing row checksums.
 * The source must be attached as `old`. Drops ingest numbers below `ingestOrderFrom`. Returns the
 * IDs, newest first.
 */
export function* copyVerbatim(
  target: DatabaseSync,
  ingestOrderFrom: number,
): CompactionSteps<BigInt64Array> {
  const ids = yield* copyPosts(target);
  yield* copyUris(target);
  yield* copyHidden(target);
  yield* copyIngestOrder(target, ingestOrderFrom);
  target.exec(
    `INSERT OR REPLACE INTO main.setting
     SELECT name, value FROM old.setting WHERE name IN ('posts', 'imported', 'counted')`,
  );
  yield "worked";
  return ids;
}

function* copyPosts(target: DatabaseSync): CompactionSteps<BigInt64Array> {
  const prepare = bigIntPreparer(target);
  const selectIds = prepare("SELECT id FROM old.post WHERE id > ? ORDER BY id LIMIT ?");
  selectIds.setReturnArrays(true);
  const insertPosts = prepare(
    `INSERT INTO main.post
     SELECT id, time_ms, likes, reposts, replies, quotes, revision, record,
       coalesce(sum, ${postRowChecksumSql})
     FROM old.post WHERE id BETWEEN ? AND ? ORDER BY id`,
  );
  const portions: BigInt64Array[] = [];
  for (let last = -1n; ; ) {
    const rows = selectIds.all(last, postsPerStep) as unknown as [bigint][];
    const ids = BigInt64Array.from(rows, ([id]) => id);
    const first = ids[0];
    const end = ids.at(-1);
    if (first === undefined || end === undefined) return newestFirst(portions);
    insertPosts.run(first, end);
    portions.push(ids);
    last = end;
    yield "worked";
  }
}

function newestFirst(portions: readonly BigInt64Array[]): BigInt64Array {
  const ids = new BigInt64Array(portions.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const portion of portions) {
    ids.set(portion, offset);
    offset += portion.length;
  }
  return ids.reverse();
}

function* copyUris(target: DatabaseSync): CompactionSteps<void> {
  const prepare = bigIntPreparer(target);
  const insertUris = prepare(
    `INSERT INTO main.uri SELECT hash, id FROM old.uri WHERE (hash, id) > (?, ?)
     ORDER BY hash, id LIMIT ?`,
  );
  const selectLastUri = prepare(
    "SELECT hash, id FROM main.uri ORDER BY hash DESC, id DESC LIMIT 1",
  );
  for (let last = { hash: lowestHash, id: -1n }; ; ) {
    if (insertUris.run(last.hash, last.id, rowsPerStep).changes === 0n) return;
    last = selectLastUri.get() as { hash: bigint; id: bigint };
    yield "worked";
  }
}

function* copyHidden(target: DatabaseSync): CompactionSteps<void> {
  const prepare = bigIntPreparer(target);
  const insertHidden = prepare(
    "INSERT INTO main.hidden SELECT id FROM old.hidden WHERE id > ? ORDER BY id LIMIT ?",
  );
  const selectLastId = prepare("SELECT max(id) AS id FROM main.hidden");
  for (let last = -1n; ; ) {
    if (insertHidden.run(last, rowsPerStep).changes === 0n) return;
    last = selectLastId.get()?.id as bigint;
    yield "worked";
  }
}

function* copyIngestOrder(target: DatabaseSync, ingestOrderFrom: number): CompactionSteps<void> {
  const prepare = bigIntPreparer(target);
  const insertIngestOrder = prepare(
    `INSERT INTO main.ingest_order(rowid, number, low, high, ids)
     SELECT rowid, number, low, high, ids FROM old.ingest_order WHERE rowid > ? AND rowid <= ? AND number >= ?`,
  );
  const selectLastRow = prepare(
    "SELECT max(rowid) AS row FROM (SELECT rowid FROM old.ingest_order WHERE rowid > ? ORDER BY rowid LIMIT ?)",
  );
  for (let last = 0n; ; ) {
    const row = selectLastRow.get(last, rowsPerStep)?.row as bigint | null;
    if (row === null) return;
    insertIngestOrder.run(last, row, ingestOrderFrom);
    last = row;
    yield "worked";
  }
}
