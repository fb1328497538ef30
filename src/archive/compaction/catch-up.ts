import { isDamage } from "../sealed/damage.ts";
import { ingestOrderIn } from "../segments/ingest-order.ts";
import { sameBatch } from "../segments/read-ingest-order.ts";
import { type FollowedSegment, idsInCopy, putIngestOrder } from "./followed-segment.ts";
import { inLock, type Steps } from "./steps.ts";

/** Changed posts that one step follows, and so few that the rest can be left for the moment under the lock. */
const postsOfStep = 500;
const few = 50;

/** Rounds in which few posts are not reached before the moment under the lock is tried all the same. */
const mostRounds = 200;

/** Follows what was changed in the segment since its rows were copied, until little is left. */
export function* catchUp(segment: FollowedSegment): Steps<void> {
  const { old, followPosts, lastArrival } = segment;
  const take = old.prepare(
    "DELETE FROM changed WHERE id IN (SELECT id FROM changed LIMIT ?) RETURNING id",
  );
  take.setReadBigInts(true);
  for (let round = 0; round < mostRounds; round += 1) {
    const arrival = lastArrival();
    const rows = yield* inLock(old, () => take.all(postsOfStep));
    const ids = rows.map(({ id }) => id as bigint);
    inCopies(segment, () => {
      followPosts(ids);
      copyArrivals(segment);
    });
    segment.arrival = arrival;
    yield "worked";
    if (ids.length <= few) return;
  }
}

/**
 * Follows the last changes, in a moment in which nobody writes; then the copies are on disk, equal to the segment. False when
 * more than `most` posts are left.
 */
export function finish(segment: FollowedSegment, most: number): boolean {
  const { old, parts, followPosts, numbering } = segment;
  const left = old.prepare("SELECT id FROM changed LIMIT ?");
  left.setReadBigInts(true);
  const ids = left.all(most + 1).map(({ id }) => id as bigint);
  if (ids.length > most) return false;
  const counted = old.prepare("SELECT value FROM setting WHERE name = 'counted'");
  counted.setReadBigInts(true);
  const step = counted.get()?.value as bigint;
  inCopies(segment, () => {
    followPosts(ids);
    copyArrivals(segment);
    copyMovedArrivals(segment);
    for (const { copy } of parts) copy.setNumbers(step, numbering);
  });
  return true;
}

/** One commit in each copy. */
function inCopies({ parts }: FollowedSegment, work: () => void): void {
  const nested = parts.reduce<() => void>(
    (inner, { copy }) =>
      () =>
        copy.commit(inner),
    work,
  );
  nested();
}

/**
 * As `copyNewArrivals`. Where a damaged segment is salvaged, posts whose arrival cannot be read are found by every search, and
 * passed over by clients that follow the order of arrival.
 */
function copyArrivals(segment: FollowedSegment): void {
  try {
    copyNewArrivals(segment);
  } catch (error) {
    if (!segment.salvages || !isDamage(error)) throw error;
  }
}

/** Numbers that were not committed may be given again after a crash: those above the last one committed are read again. */
function copyNewArrivals(segment: FollowedSegment): void {
  const { old, parts, arrival } = segment;
  for (const { copy } of parts) copy.arrivals.forgetAfter(arrival);
  for (const arrived of sameBatch(old)(arrival + 1, Number.MAX_SAFE_INTEGER)) {
    // One that was deleted and has come again lies where it was, among those that it came with first.
    for (const id of idsInCopy(arrived.ids, segment.idInCopy)) {
      segment.copyOf(id).arrivals.makeRoom(id);
      segment.arrived.add(id);
    }
    putIngestOrder(segment, arrived);
  }
}

/** A post that made room for another one keeps the number of its arrival, and the other one has its own. */
function copyMovedArrivals(segment: FollowedSegment): void {
  const arrivals = ingestOrderIn(segment.old);
  const { moved, arrived, vacated } = segment;
  // What has arrived meanwhile may be many posts, and is told already.
  for (const id of new Set([...moved.keys(), ...vacated])) {
    if (arrived.has(id) && !vacated.has(id)) continue;
    const copy = segment.copyOf(id);
    if (copy.holds(id)) copy.arrivals.setNumbers(id, arrivals.numbersOf(moved.get(id) ?? id));
  }
}
