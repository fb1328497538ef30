import type { StoredRow } from "../segments/intact-rows.ts";
import { ingestBatchReader } from "../segments/read-ingest-order.ts";
import { type FollowedSegment, putIngestOrder } from "./followed-segment.ts";
import type { CompactionSteps } from "./steps.ts";

const postsOfStep = 250;
const rowsOfStep = 5_000;

export function* copySegment(
  segment: FollowedSegment,
  ingestOrderFrom: number,
): CompactionSteps<void> {
  yield* copyPosts(segment);
  yield* copyHidden(segment);
  yield* copyIngestOrder(segment, ingestOrderFrom);
}

function* copyPosts({ old, copyRow, copyOf, hashOf }: FollowedSegment): CompactionSteps<void> {
  const selectPosts = old.prepare("SELECT * FROM post WHERE id > ? ORDER BY id LIMIT ?");
  selectPosts.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const rows = selectPosts.all(last, postsOfStep) as StoredRow[];
    for (const row of rows) {
      const added = copyRow(row);
      if (added !== null && !added.isNative) copyOf(row.id).addUri(hashOf(added.uri), added.id);
    }
    yield "worked";
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function* copyHidden({ old, copyOf, idInCopy }: FollowedSegment): CompactionSteps<void> {
  const selectHidden = old.prepare(
    `SELECT id FROM hidden WHERE id > ? AND id NOT IN (SELECT id FROM changed)
     ORDER BY id LIMIT ?`,
  );
  selectHidden.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const rows = selectHidden.all(last, rowsOfStep) as { id: bigint }[];
    for (const { id } of rows) {
      const copy = copyOf(id);
      const to = idInCopy(id);
      if (to !== null && copy.has(to)) copy.hide(to);
    }
    yield "worked";
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function* copyIngestOrder(
  segment: FollowedSegment,
  ingestOrderFrom: number,
): CompactionSteps<void> {
  const read = ingestBatchReader(segment.old);
  for (let from = ingestOrderFrom; ; ) {
    let copied = 0;
    let last = from;
    for (const arrived of read(from, segment.ingestNumber)) {
      if (copied >= rowsOfStep && arrived.number !== last) break;
      last = arrived.number;
      copied += arrived.ids.length;
      putIngestOrder(segment, { ...arrived, ids: arrived.ids.filter(isStored) });
    }
    yield "worked";
    if (copied < rowsOfStep) return;
    from = last + 1;
  }

  function isStored(id: bigint): boolean {
    const to = segment.idInCopy(id);
    return to !== null && segment.copyOf(id).has(to);
  }
}
