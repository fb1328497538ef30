import type { StoredRow } from "../segments/intact-rows.ts";
import { ingestBatchReader } from "../segments/read-ingest-order.ts";
import { copyIngestBatch, type SegmentRewrite } from "./segment-rewrite.ts";
import type { CompactionSteps } from "./steps.ts";

const postsPerStep = 250;
const rowsPerStep = 5_000;

export function* copySegment(
  rewrite: SegmentRewrite,
  ingestOrderFrom: number,
): CompactionSteps<void> {
  yield* copyPosts(rewrite);
  yield* copyHidden(rewrite);
  yield* copyIngestOrder(rewrite, ingestOrderFrom);
}

function* copyPosts({ old, copyRow, findCopy, hashUri }: SegmentRewrite): CompactionSteps<void> {
  const selectPosts = old.prepare("SELECT * FROM post WHERE id > ? ORDER BY id LIMIT ?");
  selectPosts.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const rows = selectPosts.all(last, postsPerStep) as StoredRow[];
    for (const row of rows) {
      const added = copyRow(row);
      if (added !== null && !added.hasNativeId)
        findCopy(row.id).addUri(hashUri(added.uri), added.id);
    }
    yield "worked";
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function* copyHidden({ old, findCopy, idInCopy }: SegmentRewrite): CompactionSteps<void> {
  const selectHidden = old.prepare(
    `SELECT id FROM hidden WHERE id > ? AND id NOT IN (SELECT id FROM changed)
     ORDER BY id LIMIT ?`,
  );
  selectHidden.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const rows = selectHidden.all(last, rowsPerStep) as { id: bigint }[];
    for (const { id } of rows) {
      const copy = findCopy(id);
      const copyId = idInCopy(id);
      if (copyId !== null && copy.has(copyId)) copy.hide(copyId);
    }
    yield "worked";
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function* copyIngestOrder(rewrite: SegmentRewrite, ingestOrderFrom: number): CompactionSteps<void> {
  const readBatches = ingestBatchReader(rewrite.old);
  for (let from = ingestOrderFrom; ; ) {
    let copied = 0;
    let last = from;
    for (const batch of readBatches(from, rewrite.ingestNumber)) {
      if (copied >= rowsPerStep && batch.number !== last) break;
      last = batch.number;
      copied += batch.ids.length;
      copyIngestBatch(rewrite, { ...batch, ids: batch.ids.filter(isStored) });
    }
    yield "worked";
    if (copied < rowsPerStep) return;
    from = last + 1;
  }

  function isStored(id: bigint): boolean {
    const copyId = rewrite.idInCopy(id);
    return copyId !== null && rewrite.findCopy(id).has(copyId);
  }
}
