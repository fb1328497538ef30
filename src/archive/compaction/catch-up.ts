import { isDamage } from "../sealed/damage.ts";
import { ingestOrderIn } from "../segments/ingest-order.ts";
import { ingestBatchReader } from "../segments/read-ingest-order.ts";
import { type FollowedSegment, idsInCopy, putIngestOrder } from "./followed-segment.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const postsOfStep = 500;
const few = 50;

const maxRounds = 200;

export function* catchUp(segment: FollowedSegment): CompactionSteps<void> {
  const { old, followPosts, lastIngestNumber } = segment;
  const take = old.prepare(
    "DELETE FROM changed WHERE id IN (SELECT id FROM changed LIMIT ?) RETURNING id",
  );
  take.setReadBigInts(true);
  for (let round = 0; round < maxRounds; round += 1) {
    const ingestNumber = lastIngestNumber();
    const rows = yield* inLock(old, () => take.all(postsOfStep));
    const ids = rows.map(({ id }) => id as bigint);
    inCopies(segment, () => {
      followPosts(ids);
      copyIngestOrder(segment);
    });
    segment.ingestNumber = ingestNumber;
    yield "worked";
    if (ids.length <= few) return;
  }
}

/**
 * Requires the catalog lock. Afterwards the copies are on disk and equal to the segment. False, and
 * nothing done, if more than `max` posts are left.
 */
export function finish(segment: FollowedSegment, max: number): boolean {
  const { old, parts, followPosts, numbering } = segment;
  const changedIds = old.prepare("SELECT id FROM changed LIMIT ?");
  changedIds.setReadBigInts(true);
  const ids = changedIds.all(max + 1).map(({ id }) => id as bigint);
  if (ids.length > max) return false;
  const countStep = old.prepare("SELECT value FROM setting WHERE name = 'counted'");
  countStep.setReadBigInts(true);
  const step = countStep.get()?.value as bigint;
  inCopies(segment, () => {
    followPosts(ids);
    copyIngestOrder(segment);
    copyMovedIngestOrder(segment);
    for (const { copy } of parts) copy.setNumbers(step, numbering);
  });
  return true;
}

function inCopies({ parts }: FollowedSegment, work: () => void): void {
  const nested = parts.reduce<() => void>(
    (inner, { copy }) =>
      () =>
        copy.commit(inner),
    work,
  );
  nested();
}

function copyIngestOrder(segment: FollowedSegment): void {
  try {
    copyNewIngestOrder(segment);
  } catch (error) {
    if (!segment.salvages || !isDamage(error)) throw error;
  }
}

/**
 * Numbers above the last committed one are copied again, because a crash makes the writer issue
 * them again.
 */
function copyNewIngestOrder(segment: FollowedSegment): void {
  const { old, parts, ingestNumber } = segment;
  for (const { copy } of parts) copy.ingestOrder.removeAfter(ingestNumber);
  for (const arrived of ingestBatchReader(old)(ingestNumber + 1, Number.MAX_SAFE_INTEGER)) {
    for (const id of idsInCopy(arrived.ids, segment.idInCopy)) {
      segment.copyOf(id).ingestOrder.removeFromRun(id);
      segment.arrived.add(id);
    }
    putIngestOrder(segment, arrived);
  }
}

/** A moved post keeps its ingest number; the post that takes its ID has another. */
function copyMovedIngestOrder(segment: FollowedSegment): void {
  const ingestOrder = ingestOrderIn(segment.old);
  const { moved, arrived, vacated } = segment;
  // New posts are numbered already.
  for (const id of new Set([...moved.keys(), ...vacated])) {
    if (arrived.has(id) && !vacated.has(id)) continue;
    const copy = segment.copyOf(id);
    if (copy.has(id)) copy.ingestOrder.setNumbers(id, ingestOrder.numbersOf(moved.get(id) ?? id));
  }
}
