import type { DatabaseSync } from "node:sqlite";
import { hasTime, type IdRange, idTimeMs, type TimeSkew } from "../../posts/ids.ts";
import { matches } from "../../posts/matcher.ts";
import type { PlanNode } from "../../query/plan.ts";
import { onSnapshot } from "../database.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { allPosts } from "./all-posts.ts";
import { candidatesOfStep, recheckedOfStep } from "./candidates-of-step.ts";
import { guardedBySeal } from "./damage-marker.ts";
import { single } from "./damaged-ids.ts";
import { indexCandidates, noLimit } from "./index-candidates.ts";
import type { IndexCost } from "./index-cost.ts";
import { type CandidateBatch, mergedCandidates } from "./merged-candidates.ts";
import type { RowsRead } from "./read-rows.ts";
import { rowByRow } from "./row-by-row.ts";
import { rowSubject } from "./row-subject.ts";
import type { SealedPart, SealedView } from "./sealed-part.ts";
import { firstOf, inSlices, slicedCandidates } from "./sliced-candidates.ts";

/** What a segment is asked, the same for all segments of a search. */
export type SegmentQuery = {
  /** FTS5 expression of a superset; null for every post. */
  expression: string | null;
  /** The same for a sealed index. */
  sealed: SealedQuery;
  /** All that is asked but the window: for the matcher, where no index can be read. */
  whole: PlanNode;
  /** What the matcher still has to look at; `all` when the expression is exact. */
  residual: PlanNode;
  /** Window of the post's time, inclusive and exclusive. */
  fromMs: number | null;
  toMs: number | null;
  /** By how much the times of the segment's posts differ from those of their IDs. */
  skew: TimeSkew;
  /** The number of the segment's last commit that the catalog knows. Without it nothing is answered from memory alone. */
  writtenIn?: number;
};

export type SegmentAnswer = {
  ids: bigint[];
  /** The lowest ID looked at, when the deadline ended the search before the range did; else null. */
  stoppedAt: bigint | null;
  candidates: number;
  /** Candidates whose row was read. */
  rechecked: number;
  /** Containers of a sealed index that were looked at. */
  containers: number;
  /** Terms that were looked up for a sealed index, before any of its posts could be looked at. */
  prepared: number;
  statements: number;
  /** IDs of posts that may be missing from it, as what tells whether they match is damaged. */
  damaged: IdRange[];
};

/** What a search needs of the segment around it. */
type SearchedSegment = {
  path: string;
  sealed: SealedPart | null;
  rows(ids: readonly bigint[]): RowsRead;
  cost: IndexCost;
};

/** The search of an open segment: the newest `limit` posts of a range of IDs that match, newest first. */
export function segmentSearch(database: DatabaseSync, segment: SearchedSegment) {
  const candidates = indexCandidates(database);
  const everyPost = allPosts(database, segment.path);
  const sliced = slicedCandidates(database);

  /** Whether a candidate matches; its row is read only where the index and the ID leave that open. */
  function isMatch(id: bigint, query: SegmentQuery, answer: SegmentAnswer): boolean {
    const isTimeOpen = !surelyLiesInWindow(id, query);
    const isRestOpen = query.residual.kind !== "all";
    if (!isTimeOpen && !isRestOpen) return true;
    answer.rechecked += 1;
    answer.statements += 1;
    const { rows, damaged } = segment.rows([id]);
    answer.damaged.push(...damaged.map(single));
    const [row] = rows;
    if (row === undefined || !isWithin(query, row.timeMs)) return false;
    return !isRestOpen || matches(query.residual, rowSubject(row));
  }

  /** Adds the candidates that match to the answer; true where that has enough then, or time was over. */
  function takeMatches(
    named: Iterable<bigint>,
    query: SegmentQuery,
    limit: number,
    expired: () => boolean,
    answer: SegmentAnswer,
  ): boolean {
    const isExact = everyCandidateCounts(query);
    const step = isExact ? candidatesOfStep : recheckedOfStep;
    for (const id of named) {
      answer.candidates += 1;
      if (isExact || isMatch(id, query, answer)) answer.ids.push(id);
      if (answer.ids.length >= limit) return true;
      if (answer.candidates % step !== 0 || !expired()) continue;
      answer.stoppedAt = id;
      return true;
    }
    return false;
  }

  /** No index is to be trusted: the row of every post is looked at. */
  function searchRows(
    asked: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer = noAnswer();
    const posts = everyPost(range, () => answer.damaged.push(range));
    takeMatches(posts, rowByRow(asked), limit, expired, answer);
    return answer;
  }

  /** FTS5 alone knows what matches. */
  function searchIndex(
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer = noAnswer();
    if (isSliced(query)) {
      const batches = sliced.batches(query.sealed, range, answer);
      return takeBatches(batches, inSlices(query), range, limit, expired, answer);
    }
    const most = everyCandidateCounts(query) ? limit : noLimit;
    takeMatches(candidates.named(query.expression, range, most), query, limit, expired, answer);
    return answer;
  }

  /** Adds the matches of batches until there are enough of them, or time is over. */
  function takeBatches(
    batches: Iterable<CandidateBatch>,
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
    answer: SegmentAnswer,
  ): SegmentAnswer {
    const isExact = everyCandidateCounts(query);
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
    { index, mask, hasOverlay, hidesAny }: SealedView,
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer = noAnswer();
    if (!hasOverlay && index.isKnownToLack(query.sealed)) return { ...answer, statements: 0 };
    const inParts = hasOverlay && isSliced(query);
    const overlay = inParts
      ? (part: IdRange) => firstOf(sliced.batches(query.sealed, part, answer), part)
      : hasOverlay
        ? candidates.overlay(query.expression, hidesAny, answer, expired)
        : null;
    const sources = { index, query: query.sealed, leftOut: mask.leftOut, overlay };
    const batches = mergedCandidates(sources, range, limit, expired, answer);
    return takeBatches(batches, inParts ? inSlices(query) : query, range, limit, expired, answer);
  }

  return (
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer => {
    if (segment.sealed === null) {
      return guardedBySeal(
        segment.path,
        () => onSnapshot(database, () => searchIndex(query, range, limit, expired)),
        () => onSnapshot(database, () => searchRows(query, range, limit, expired)),
      );
    }
    const read = everyCandidateCounts(query) ? segment.sealed.readIndex : segment.sealed.read;
    return read(
      (view) => searchSealed(view, query, range, limit, expired),
      () => searchRows(query, range, limit, expired),
      query.writtenIn,
    );
  };
}

const noAnswer = (): SegmentAnswer => ({
  ids: [],
  stoppedAt: null,
  candidates: 0,
  rechecked: 0,
  containers: 0,
  prepared: 0,
  statements: 1,
  damaged: [],
});

/** Candidates that are looked at no further take no time. */
const never = (): boolean => false;

const everyCandidateCounts = ({ residual, fromMs, toMs }: SegmentQuery): boolean =>
  residual.kind === "all" && fromMs === null && toMs === null;

/** Whether the ID alone tells that the post lies in the window: not within the skew of a border, or where it tells no time. */
function surelyLiesInWindow(id: bigint, { fromMs, toMs, skew }: SegmentQuery): boolean {
  if (fromMs === null && toMs === null) return true;
  if (!hasTime(id)) return false;
  const told = idTimeMs(id);
  const isAfter = fromMs === null || told + skew.minMs >= fromMs;
  return isAfter && (toMs === null || told + skew.maxMs < toMs);
}

function isWithin({ fromMs, toMs }: SegmentQuery, timeMs: number): boolean {
  return (fromMs === null || timeMs >= fromMs) && (toMs === null || timeMs < toMs);
}
