import type { DatabaseSync } from "node:sqlite";
import { type IdRange, singleId } from "../../posts/ids.ts";
import { withSnapshot } from "../database.ts";
import { openAllPosts } from "./all-posts.ts";
import { countInRows, type RowMatcher } from "./count-in-rows.ts";
import { countInSealed } from "./count-in-sealed.ts";
import { indexCandidates, indexCounter, noLimit } from "./fts-index.ts";
import {
  addToBucket,
  type BucketGrid,
  type BucketTally,
  countedFromMs,
  emptyTally,
  type IdClock,
  splitByClock,
} from "./id-clock.ts";
import type { IndexCost } from "./index-cost.ts";
import { unlessMarkedDamaged } from "./integrity.ts";
import { type CandidateBatch, mergedCandidates } from "./merged-candidates.ts";
import { candidatesPerStep, rowScanQuery } from "./row-scan.ts";
import type { SealedIndexReader, SealedView } from "./sealed-index-reader.ts";
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
  }: RowMatcher & { path: string; sealed: SealedIndexReader | null; cost: IndexCost },
): SegmentCounter {
  const countInIndex = indexCounter(database);
  const candidates = indexCandidates(database);
  const everyPost = openAllPosts(database, path);
  const slices = slicedCandidates(database);
  const isSliced = (query: CountQuery): boolean =>
    query.expression !== null && !cost.isBounded(query.sealed);
  const selectDataVersion = database.prepare("PRAGMA data_version");

  function countEveryRow(
    query: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const { residual } = rowScanQuery(query);
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
      const { residual: checkedPlan } = slicedQuery(query);
      const batches = slices.batches(query.sealed, part, tally);
      countInRows(batches, matcher, checkedPlan, part, clock, expired, tally);
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
    countQuery: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const isDeltaSliced = hasDelta && isSliced(countQuery);
    const {
      expression,
      sealed: query,
      residual,
    } = isDeltaSliced ? slicedQuery(countQuery) : countQuery;
    const tally = { ...emptyTally(), statements: 1 };
    const sources = { index, query, omittedSet: deletions.omittedSet };
    if (expression === null || residual.kind !== "all" || isDeltaSliced) {
      const delta = isDeltaSliced
        ? (range: IdRange) => firstBatch(slices.batches(query, range, tally), range)
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
    for (const [bucket, posts] of deltaTally.counts) addToBucket(tally.counts, bucket, posts);
    return tally;
  }

  function countPart(
    query: CountQuery,
    part: IdRange,
    clock: IdClock,
    expired: () => boolean,
  ): BucketTally {
    const countByRows = (): BucketTally => countEveryRow(query, part, clock, expired);
    if (sealed === null) {
      return unlessMarkedDamaged(
        path,
        () => countByIndex(query, part, clock, expired),
        countByRows,
      );
    }
    return sealed.read((view) => countSealed(view, query, part, clock, expired), countByRows);
  }

  function count(
    query: CountQuery,
    range: IdRange,
    grid: BucketGrid,
    expired: () => boolean,
  ): SegmentCounts {
    const segmentCounts: SegmentCounts = {
      counts: new Map(),
      countedFromMs: null,
      stoppedAt: null,
      damaged: [],
      statements: 0,
      containers: 0,
    };
    for (const { part, clock } of splitByClock(range, grid, query.skew)) {
      const tally = countPart(query, part, clock, expired);
      segmentCounts.statements += tally.statements;
      segmentCounts.containers += tally.containers;
      segmentCounts.damaged.push(...tally.damaged);
      for (const [bucket, posts] of tally.counts) addToBucket(segmentCounts.counts, bucket, posts);
      if (tally.stoppedAt === null) continue;
      segmentCounts.countedFromMs = countedFromMs(tally.stoppedAt, query.skew);
      segmentCounts.stoppedAt = tally.stoppedAt;
      break;
    }
    return segmentCounts;
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
