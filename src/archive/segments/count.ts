import type { DatabaseSync } from "node:sqlite";
import { type IdRange, singleId } from "../../posts/ids.ts";
import { withSnapshot } from "../database.ts";
import { openAllPosts } from "./all-posts.ts";
import { countInRows, type RowMatcher } from "./count-in-rows.ts";
import { countInSealed } from "./count-in-sealed.ts";
import { indexCandidates, indexCounter, noLimit } from "./fts-index.ts";
import {
  add,
  type BucketGrid,
  type BucketTally,
  countedFromMs,
  emptyTally,
  type IdClock,
  splitByClock,
} from "./id-clock.ts";
import type { IndexCost } from "./index-cost.ts";
import { guardedByMarker } from "./integrity.ts";
import { type CandidateBatch, mergedCandidates } from "./merged-candidates.ts";
import { candidatesPerStep, rowScanQuery } from "./row-scan.ts";
import type { SealedPart, SealedView } from "./sealed-part.ts";
import type { SegmentQuery } from "./search-segment.ts";
import { firstBatch, slicedCandidates, slicedQuery } from "./sliced-candidates.ts";

export type CountQuery = Omit<SegmentQuery, "fromMs" | "toMs">;

type SegmentCounts = {
  /** Posts per bucket, without empty buckets; partial at the ends of the range. */
  counts: Map<number, number>;
  /** The time from which all posts are counted, if the deadline has passed. */
  countedFromMs: number | null;
  stoppedAt: bigint | null;
  damaged: IdRange[];
  statements: number;
  containers: number;
};

export type SegmentCounter = {
  /** `version` changes with every commit to the segment. */
  withSnapshot<Value>(work: (version: number) => Value): Value;
  count(query: CountQuery, range: IdRange, grid: BucketGrid, expired: () => boolean): SegmentCounts;
};

export function segmentCounter(
  database: DatabaseSync,
  {
    path,
    sealed,
    cost,
    ...matcher
  }: RowMatcher & { path: string; sealed: SealedPart | null; cost: IndexCost },
): SegmentCounter {
  const countInIndex = indexCounter(database);
  const candidates = indexCandidates(database);
  const everyPost = openAllPosts(database, path);
  const sliced = slicedCandidates(database);
  const isSliced = (query: CountQuery): boolean =>
    query.expression !== null && !cost.isBounded(query.sealed);
  const selectDataVersion = database.prepare("PRAGMA data_version");

  function countEveryRow(
    requested: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const { residual } = rowScanQuery(requested);
    const tally = { ...emptyTally(), statements: 1 };
    const posts = everyPost(part, () => tally.damaged.push(part));
    countInRows(readBatches(posts, part), matcher, residual, part, clock, expired, tally);
    return tally;
  }

  function countByIndex(
    query: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const { expression, residual } = query;
    const tally = { ...emptyTally(), statements: 1 };
    if (isSliced(query)) {
      const { residual: checked } = slicedQuery(query);
      const batches = sliced.batches(query.sealed, part, tally);
      countInRows(batches, matcher, checked, part, clock, expired, tally);
      return tally;
    }
    if (expression !== null && residual.kind === "all") {
      return countInIndex(expression, part, clock, expired);
    }
    const batches = readBatches(candidates.matching(expression, part, noLimit), part);
    countInRows(batches, matcher, residual, part, clock, expired, tally);
    return tally;
  }

  function countSealed(
    { index, deletions, hasDelta, hasHidden }: SealedView,
    requested: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const isDeltaSliced = hasDelta && isSliced(requested);
    const {
      expression,
      sealed: query,
      residual,
    } = isDeltaSliced ? slicedQuery(requested) : requested;
    const tally = { ...emptyTally(), statements: 1 };
    const sources = { index, query, omitted: deletions.omitted };
    if (expression === null || residual.kind !== "all" || isDeltaSliced) {
      const delta = isDeltaSliced
        ? (range: IdRange) => firstBatch(sliced.batches(query, range, tally), range)
        : hasDelta
          ? candidates.delta(expression, hasHidden, tally, expired)
          : null;
      const batches = mergedCandidates({ ...sources, delta }, part, firstRows, expired, tally);
      countInRows(batches, matcher, residual, part, clock, expired, tally);
      return tally;
    }
    const listTimes = (ids: readonly bigint[]): number[] => {
      tally.statements += 1;
      const { rows, damaged } = matcher.rows(ids);
      tally.damaged.push(...damaged.map(singleId));
      return rows.map(({ timeMs }) => timeMs);
    };
    countInSealed(sources, part, clock, listTimes, expired, tally);
    if (!hasDelta) return tally;
    const range = { low: tally.stoppedAt ?? part.low, high: part.high };
    const deltaTally = countInIndex(expression, range, clock, expired);
    tally.statements += deltaTally.statements;
    tally.damaged.push(...deltaTally.damaged);
    tally.stoppedAt = deltaTally.stoppedAt ?? tally.stoppedAt;
    for (const [bucket, number] of deltaTally.counts) add(tally.counts, bucket, number);
    return tally;
  }

  function countPart(
    query: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const byRows = (): BucketTally => countEveryRow(query, part, clock, expired);
    if (sealed === null) {
      return guardedByMarker(path, () => countByIndex(query, part, clock, expired), byRows);
    }
    return sealed.read((view) => countSealed(view, query, part, clock, expired), byRows);
  }

  function count(
    query: CountQuery,
    range: IdRange,
    grid: BucketGrid,
    expired: () => boolean,
  ): SegmentCounts {
    const answer: SegmentCounts = {
      counts: new Map(),
      countedFromMs: null,
      stoppedAt: null,
      damaged: [],
      statements: 0,
      containers: 0,
    };
    for (const { part, clock } of splitByClock(range, grid, query.skew)) {
      const tally = countPart(query, part, clock, expired);
      answer.statements += tally.statements;
      answer.containers += tally.containers;
      answer.damaged.push(...tally.damaged);
      for (const [bucket, number] of tally.counts) add(answer.counts, bucket, number);
      if (tally.stoppedAt === null) continue;
      answer.countedFromMs = countedFromMs(tally.stoppedAt, query.skew);
      answer.stoppedAt = tally.stoppedAt;
      break;
    }
    return answer;
  }

  return {
    count,
    withSnapshot: (work) =>
      withSnapshot(database, () => work(Number(selectDataVersion.get()?.data_version))),
  };
}

const firstRows = 1_024;

function* readBatches(
  candidates: Iterable<bigint>,
  { low }: IdRange,
): Generator<CandidateBatch, void> {
  let ids: bigint[] = [];
  for (const id of candidates) {
    ids.push(id);
    if (ids.length < candidatesPerStep) continue;
    yield { ids, seenTo: id };
    ids = [];
  }
  yield { ids, seenTo: low };
}
