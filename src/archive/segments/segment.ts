import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type IdRange, idTimeMs, type TimeSkew, tellsTime } from "../../posts/ids.ts";
import { matches, type Subject } from "../../posts/matcher.ts";
import type { Platform } from "../../posts/post.ts";
import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import type { PlanNode } from "../../query/plan.ts";
import { openForReading } from "../database.ts";
import type { HeldLookup } from "../placement.ts";
import { type SegmentCounter, segmentCounter } from "./count.ts";
import { segmentLookup } from "./lookup.ts";
import { type SegmentArrival, segmentArrivals } from "./read-arrivals.ts";

/** What a segment is asked, the same for all segments of a search. */
export type SegmentQuery = {
  /** FTS5 expression of a superset; null for every post. */
  expression: string | null;
  /** What the matcher still has to look at; `all` when the expression is exact. */
  residual: PlanNode;
  /** Window of the post's time, inclusive and exclusive. */
  fromMs: number | null;
  toMs: number | null;
  /** By how much the times of the segment's posts differ from those of their IDs. */
  skew: TimeSkew;
};

export type SegmentAnswer = {
  ids: bigint[];
  /** The lowest ID looked at, when the deadline ended the search before the range did; else null. */
  stoppedAt: bigint | null;
  candidates: number;
  /** Candidates whose row was read. */
  rechecked: number;
  statements: number;
};

/** The newest `limit` posts of a segment that match, newest first. What is hidden is neither found nor told. */
export type Segment = {
  search(query: SegmentQuery, range: IdRange, limit: number, expired: () => boolean): SegmentAnswer;
  /** The rows of these posts in this order; those that are gone are left out. */
  rows(ids: readonly bigint[]): RecordRow[];
  counter: SegmentCounter;
  /** Posts by ID and by uri, hidden ones too. */
  lookup: HeldLookup<{ id: bigint }>;
  /** Posts by the number of their arrival: from a number and an ID on, up to a number. */
  arrivals(from: SegmentArrival, to: number, limit: number): SegmentArrival[];
  close(): void;
};

/** How many candidates are looked at between two glances at the deadline. */
const candidatesBetweenChecks = 128;

/** Opens a segment for reading. Every call sees the last commit; none waits for a writer. */
export function openSegment(path: string, platform: Platform, cacheKib: number): Segment {
  const database = openForReading(path, cacheKib);
  const statements = prepareStatements(database);

  function rows(ids: readonly bigint[]): RecordRow[] {
    return statements.rows.all(`[${ids.join(",")}]`).map((found) => {
      const [id, timeMs, likes, reposts, replies, quotes, record] = found as unknown as StoredRow;
      const counts = {
        likes: numberOrNull(likes),
        reposts: numberOrNull(reposts),
        replies: numberOrNull(replies),
        quotes: numberOrNull(quotes),
      };
      return { id, platform, timeMs: Number(timeMs), counts, record };
    });
  }

  /** Most segments hide nothing: their searches need not look each post up. */
  const hidesAny = (): boolean => statements.hidden.get() !== undefined;

  function timeMs(id: bigint): number | null {
    const found = statements.time.get(id);
    return found === undefined ? null : Number(found.time_ms);
  }

  /** Whether a candidate matches; its row is read only where the index and the ID leave that open. */
  function isMatch(id: bigint, query: SegmentQuery, answer: SegmentAnswer): boolean {
    const isTimeOpen = !surelyLiesInWindow(id, query);
    const isRestOpen = query.residual.kind !== "all";
    if (!isTimeOpen && !isRestOpen) return true;
    answer.rechecked += 1;
    if (isTimeOpen) {
      answer.statements += 1;
      if (!isWithin(query, timeMs(id))) return false;
    }
    if (!isRestOpen) return true;
    answer.statements += 1;
    const [row] = rows([id]);
    return row !== undefined && matches(query.residual, rowSubject(row));
  }

  function candidates(
    { expression }: SegmentQuery,
    { low, high }: IdRange,
    limit: number,
  ): Iterable<unknown> {
    const { all, matching } = hidesAny() ? statements.ofShown : statements.ofAll;
    if (expression === null) return all.iterate(low, high, limit);
    return matching.iterate(expression, low, high, limit);
  }

  function search(
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer: SegmentAnswer = {
      ids: [],
      stoppedAt: null,
      candidates: 0,
      rechecked: 0,
      statements: 1,
    };
    const everyCandidateCounts =
      query.residual.kind === "all" && query.fromMs === null && query.toMs === null;
    for (const candidate of candidates(query, range, everyCandidateCounts ? limit : noLimit)) {
      const [id] = candidate as [bigint];
      answer.candidates += 1;
      if (everyCandidateCounts || isMatch(id, query, answer)) answer.ids.push(id);
      if (answer.ids.length >= limit) break;
      if (answer.candidates % candidatesBetweenChecks === 0 && expired()) {
        answer.stoppedAt = id;
        break;
      }
    }
    return answer;
  }

  const counter = segmentCounter(database, {
    rows,
    isMatch: (plan, row) => matches(plan, rowSubject(row)),
  });
  const arrivals = segmentArrivals(database);

  const lookup = segmentLookup(database, platform);

  return { search, rows, counter, arrivals, lookup, close: () => database.close() };
}

/** Whether the ID alone tells that the post lies in the window: not within the skew of a border, or where it tells no time. */
function surelyLiesInWindow(id: bigint, { fromMs, toMs, skew }: SegmentQuery): boolean {
  if (fromMs === null && toMs === null) return true;
  if (!tellsTime(id)) return false;
  const told = idTimeMs(id);
  const isAfter = fromMs === null || told + skew.minMs >= fromMs;
  return isAfter && (toMs === null || told + skew.maxMs < toMs);
}

function isWithin({ fromMs, toMs }: SegmentQuery, timeMs: number | null): boolean {
  if (timeMs === null) return false;
  return (fromMs === null || timeMs >= fromMs) && (toMs === null || timeMs < toMs);
}

/** A stored row as the matcher reads it; the record is decoded only when the plan asks for more than time and counts. */
function rowSubject(row: RecordRow): Subject {
  return {
    id: row.id,
    platform: row.platform,
    timeMs: row.timeMs,
    counts: row.counts,
    geo: () => decodeRecord(row).geo,
    terms: () => indexTerms(decodeRecord(row)),
  };
}

type StoredRow = [bigint, bigint, Count, Count, Count, Count, string];
type Count = bigint | null;

const numberOrNull = (count: Count): number | null => (count === null ? null : Number(count));

/** SQLite's way to say that a LIMIT is none. */
const noLimit = -1;

type Statements = {
  rows: StatementSync;
  time: StatementSync;
  hidden: StatementSync;
  ofAll: Candidates;
  ofShown: Candidates;
};

/** The IDs of a range, newest first: of all posts, or of those that an expression matches. */
type Candidates = { all: StatementSync; matching: StatementSync };

function prepareStatements(database: DatabaseSync): Statements {
  const prepare = (text: string): StatementSync => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement;
  };
  const candidates = (isShown: (id: string) => string): Candidates => ({
    all: prepare(
      `SELECT id FROM post WHERE id BETWEEN ? AND ? ${isShown("post.id")}
       ORDER BY id DESC LIMIT ?`,
    ),
    matching: prepare(
      `SELECT rowid FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ? ${isShown("term.rowid")}
       ORDER BY rowid DESC LIMIT ?`,
    ),
  });
  return {
    rows: prepare(
      `SELECT post.id, time_ms, likes, reposts, replies, quotes, record
       FROM json_each(?) AS asked CROSS JOIN post ON post.id = asked.value
       WHERE true ${shown("post.id")}`,
    ),
    time: database.prepare("SELECT time_ms FROM post WHERE id = ?"),
    hidden: database.prepare("SELECT 1 FROM hidden LIMIT 1"),
    ofAll: candidates(() => ""),
    ofShown: candidates(shown),
  };
}

const shown = (id: string): string =>
  `AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = ${id})`;
