import type { DatabaseSync } from "node:sqlite";
import { matches } from "@earshot/query/match";
import type { PlanNode } from "@earshot/query/plan";
import { hasTime, type IdRange, idTimeMs, singleId, type TimeSkew } from "../../posts/ids.ts";
import { withSnapshot } from "../database.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { openAllPosts } from "./all-posts.ts";
import type { ReadRows } from "./checked-rows.ts";
import { indexCandidates, noLimit } from "./fts-index.ts";
import type { IndexCost } from "./index-cost.ts";
import { unlessMarkedDamaged } from "./integrity.ts";
import { type CandidateBatch, mergedCandidates } from "./merged-candidates.ts";
import { candidatesPerStep, recheckedPerStep, rowScanQuery } from "./row-scan.ts";
import { rowSubject } from "./row-subject.ts";
import type { SealedIndexReader, SealedView } from "./sealed-index-reader.ts";
import { firstBatch, slicedCandidates, slicedQuery } from "./sliced-candidates.ts";

export type SegmentQuery = {
  /** The FTS5 expression of a superset; null means every post. */
  expression: string | null;
  sealed: SealedQuery;
  whole: PlanNode;
  /** What the matcher must check; `all` if the index is exact. */
  residual: PlanNode;
  /** Inclusive; `toMs` is exclusive. */
  fromMs: number | null;
  toMs: number | null;
  skew: TimeSkew;
  /** The segment's last commit according to the catalog; required to answer from memory. */
  lastWrittenInCommit?: number;
};

export type SegmentAnswer = {
  ids: bigint[];
  /** The lowest ID checked if the deadline has passed, otherwise null. */
  stoppedAt: bigint | null;
  candidates: number;
  rechecked: number;
  containers: number;
  /** See `SealedWork`. */
  termReads: number;
  statements: number;
  /** IDs of posts that may be missing. */
  damaged: IdRange[];
};

type SearchedSegment = {
  path: string;
  sealed: SealedIndexReader | null;
  rows(ids: readonly bigint[]): ReadRows;
  cost: IndexCost;
};

export function segmentSearch(database: DatabaseSync, segment: SearchedSegment) {
  const candidates = indexCandidates(database);
  const everyPost = openAllPosts(database, segment.path);
  const slices = slicedCandidates(database);

  function isMatch(id: bigint, query: SegmentQuery, answer: SegmentAnswer): boolean {
    const mustCheckTime = !isCertainlyInWindow(id, query);
    const mustCheckResidual = query.residual.kind !== "all";
    if (!mustCheckTime && !mustCheckResidual) return true;
    answer.rechecked += 1;
    answer.statements += 1;
    const { rows, damaged } = segment.rows([id]);
    answer.damaged.push(...damaged.map(singleId));
    const [row] = rows;
    if (row === undefined || !isWithin(query, row.timeMs)) return false;
    return !mustCheckResidual || matches(query.residual, rowSubject(row));
  }

  function takeMatches(
    ids: Iterable<bigint>,
    query: SegmentQuery,
    limit: number,
    expired: () => boolean,
    answer: SegmentAnswer,
  ): boolean {
    const isExact = isEveryCandidateMatch(query);
    const step = isExact ? candidatesPerStep : recheckedPerStep;
    for (const id of ids) {
      answer.candidates += 1;
      if (isExact || isMatch(id, query, answer)) answer.ids.push(id);
      if (answer.ids.length >= limit) return true;
      if (answer.candidates % step !== 0 || !expired()) continue;
      answer.stoppedAt = id;
      return true;
    }
    return false;
  }

  function searchRows(
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer = emptyAnswer();
    const posts = everyPost(range, () => answer.damaged.push(range));
    takeMatches(posts, rowScanQuery(query), limit, expired, answer);
    return answer;
  }

  function searchIndex(
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer = emptyAnswer();
    if (isSliced(query)) {
      const batches = slices.batches(query.sealed, range, answer);
      return takeBatches(batches, slicedQuery(query), range, limit, expired, answer);
    }
    const max = isEveryCandidateMatch(query) ? limit : noLimit;
    takeMatches(candidates.matching(query.expression, range, max), query, limit, expired, answer);
    return answer;
  }

  function takeBatches(
    batches: Iterable<CandidateBatch>,
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
    answer: SegmentAnswer,
  ): SegmentAnswer {
    const isExact = isEveryCandidateMatch(query);
    for (const { ids, seenTo } of batches) {
      if (takeMatches(ids, query, limit, isExact ? never : expired, answer)) return answer;
      if (seenTo <= range.low || !expired()) continue;
      answer.stoppedAt = seenTo;
      return answer;
    }
    return answer;
  }

  const isSliced = (query: SegmentQuery): boolean =>
    query.expression !== null && !segment.cost.isBounded(query.sealed);

  function searchSealed(
    { index, deletions, hasDelta, hasHidden }: SealedView,
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer = emptyAnswer();
    const isDeltaSliced = hasDelta && isSliced(query);
    const delta = isDeltaSliced
      ? (part: IdRange) => firstBatch(slices.batches(query.sealed, part, answer), part)
      : hasDelta
        ? candidates.delta(query.expression, hasHidden, answer, expired)
        : null;
    const sources = { index, query: query.sealed, omittedSet: deletions.omittedSet, delta };
    const batches = mergedCandidates(sources, range, limit, expired, answer);
    return takeBatches(
      batches,
      isDeltaSliced ? slicedQuery(query) : query,
      range,
      limit,
      expired,
      answer,
    );
  }

  return (
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer => {
    if (segment.sealed === null) {
      return unlessMarkedDamaged(
        segment.path,
        () => withSnapshot(database, () => searchIndex(query, range, limit, expired)),
        () => withSnapshot(database, () => searchRows(query, range, limit, expired)),
      );
    }
    if (segment.sealed.isKnownToLack(query.sealed, query.lastWrittenInCommit)) {
      return { ...emptyAnswer(), statements: 0 };
    }
    const read = isEveryCandidateMatch(query) ? segment.sealed.readIndex : segment.sealed.read;
    return read(
      (view) => searchSealed(view, query, range, limit, expired),
      () => searchRows(query, range, limit, expired),
      query.lastWrittenInCommit,
    );
  };
}

const emptyAnswer = (): SegmentAnswer => ({
  ids: [],
  stoppedAt: null,
  candidates: 0,
  rechecked: 0,
  containers: 0,
  termReads: 0,
  statements: 1,
  damaged: [],
});

const never = (): boolean => false;

const isEveryCandidateMatch = ({ residual, fromMs, toMs }: SegmentQuery): boolean =>
  residual.kind === "all" && fromMs === null && toMs === null;

function isCertainlyInWindow(id: bigint, { fromMs, toMs, skew }: SegmentQuery): boolean {
  if (fromMs === null && toMs === null) return true;
  if (!hasTime(id)) return false;
  const idMs = idTimeMs(id);
  const isAfter = fromMs === null || idMs + skew.minMs >= fromMs;
  return isAfter && (toMs === null || idMs + skew.maxMs < toMs);
}

function isWithin({ fromMs, toMs }: SegmentQuery, timeMs: number): boolean {
  return (fromMs === null || timeMs >= fromMs) && (toMs === null || timeMs < toMs);
}
