import { isDamage } from "../sealed/damage.ts";
import { ingestBatchReader, ingestOrderIn } from "../segments/ingest-order.ts";
import { copyIngestBatch, idsInCopy, type SegmentRewrite } from "./segment-rewrite.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const postsPerStep = 500;
/** Few enough changes to end the rounds. */
const maxRemaining = 50;

const maxRounds = 200;

export function* catchUp(rewrite: SegmentRewrite): CompactionSteps<void> {
  const { old, applyChanges, lastIngestNumber } = rewrite;
  const takeChanged = old.prepare(
    "DELETE FROM changed WHERE id IN (SELECT id FROM changed LIMIT ?) RETURNING id",
  );
  takeChanged.setReadBigInts(true);
  for (let round = 0; round < maxRounds; round += 1) {
    const ingestNumber = lastIngestNumber();
    const rows = yield* inLock(old, () => takeChanged.all(postsPerStep));
    const ids = rows.map(({ id }) => id as bigint);
    inCopies(rewrite, () => {
      applyChanges(ids);
      copyIngestOrder(rewrite);
    });
    rewrite.ingestNumberAtCopyStart = ingestNumber;
    yield "worked";
    if (ids.length <= maxRemaining) return;
  }
}

/**
 * Requires the catalog lock. Returns true if the copies are on disk and equal to the segment;
 * false, without any effect, if more than `max` changed posts remain.
 */
export function finishCatchUp(rewrite: SegmentRewrite, max: number): boolean {
  const { old, parts, applyChanges, numbering } = rewrite;
  const selectChanged = old.prepare("SELECT id FROM changed LIMIT ?");
  selectChanged.setReadBigInts(true);
  const ids = selectChanged.all(max + 1).map(({ id }) => id as bigint);
  if (ids.length > max) return false;
  const selectCountBatch = old.prepare("SELECT value FROM setting WHERE name = 'counted'");
  selectCountBatch.setReadBigInts(true);
  const countBatch = selectCountBatch.get()?.value as bigint;
  inCopies(rewrite, () => {
    applyChanges(ids);
    copyIngestOrder(rewrite);
    copyMovedIngestOrder(rewrite);
    for (const { copy } of parts) copy.writeSettings(countBatch, numbering);
  });
  return true;
}

function inCopies({ parts }: SegmentRewrite, work: () => void): void {
  const runNested = parts.reduce<() => void>(
    (inner, { copy }) =>
      () =>
        copy.commit(inner),
    work,
  );
  runNested();
}

function copyIngestOrder(rewrite: SegmentRewrite): void {
  try {
    copyNewIngestOrder(rewrite);
  } catch (error) {
    if (!rewrite.isSalvage || !isDamage(error)) throw error;
  }
}

/**
 * Ingest numbers above the newest committed one are copied again, because the writer reuses them
 * after a crash.
 */
function copyNewIngestOrder(rewrite: SegmentRewrite): void {
  const { old, parts, ingestNumberAtCopyStart: ingestNumber } = rewrite;
  for (const { copy } of parts) copy.ingestOrder.removeAfter(ingestNumber);
  for (const batch of ingestBatchReader(old)(ingestNumber + 1, Number.MAX_SAFE_INTEGER)) {
    for (const id of idsInCopy(batch.ids, rewrite.idInCopy)) {
      rewrite.findCopy(id).ingestOrder.removeFromRun(id);
      rewrite.newlyIngestedIds.add(id);
    }
    copyIngestBatch(rewrite, batch);
  }
}

/** A moved post keeps its ingest number; the post that takes over its ID has another one. */
function copyMovedIngestOrder(rewrite: SegmentRewrite): void {
  const ingestOrder = ingestOrderIn(rewrite.old);
  const { sourceIds, newlyIngestedIds, reassignedIds } = rewrite;
  for (const id of new Set([...sourceIds.keys(), ...reassignedIds])) {
    if (newlyIngestedIds.has(id) && !reassignedIds.has(id)) continue;
    const copy = rewrite.findCopy(id);
    if (!copy.has(id)) continue;
    copy.ingestOrder.setNumbers(id, ingestOrder.findNumbers(sourceIds.get(id) ?? id));
  }
}
