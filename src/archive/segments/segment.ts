import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type IdRange, idTimeMs, type TimeSkew, tellsTime } from "../../posts/ids.ts";
import { matches, type Subject } from "../../posts/matcher.ts";
import type { Platform, PostCounts } from "../../posts/post.ts";
import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import type { PlanNode } from "../../query/plan.ts";
import { openForReading } from "../database.ts";

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
};

/** The newest `limit` posts of a segment that match, newest first. */
export type Segment = {
  search(query: SegmentQuery, range: IdRange, limit: number, expired: () => boolean): SegmentAnswer;
  /** The row of a post; null when it is gone. */
  row(id: bigint): RecordRow | null;
  close(): void;
};

/** How many candidates are looked at between two glances at the deadline. */
const candidatesBetweenChecks = 128;

/** Opens a segment for reading. Every call sees the last commit; none waits for a writer. */
export function openSegment(path: string, platform: Platform, cacheKib: number): Segment {
  const database = openForReading(path, cacheKib);
  const statements = prepareStatements(database);

  function row(id: bigint): RecordRow | null {
    const found = statements.row.get(id);
    if (found === undefined) return null;
    return {
      id,
      platform,
      timeMs: Number(found.time_ms),
      counts: countsOf(found),
      record: String(found.record),
    };
  }

  function timeMs(id: bigint): number | null {
    const found = statements.time.get(id);
    return found === undefined ? null : Number(found.time_ms);
  }

  /** Only a post whose ID lies within the skew of a border needs its row read to know its side of it. */
  function liesInWindow(id: bigint, { fromMs, toMs, skew }: SegmentQuery): boolean {
    if (fromMs === null && toMs === null) return true;
    if (tellsTime(id)) {
      const told = idTimeMs(id);
      const surelyAfter = fromMs === null || told + skew.minMs >= fromMs;
      const surelyBefore = toMs === null || told + skew.maxMs < toMs;
      if (surelyAfter && surelyBefore) return true;
    }
    const time = timeMs(id);
    if (time === null) return false;
    return (fromMs === null || time >= fromMs) && (toMs === null || time < toMs);
  }

  function* candidates(query: SegmentQuery, range: IdRange): Generator<bigint> {
    const rows =
      query.expression === null
        ? statements.all.iterate(range.low, range.high)
        : statements.matching.iterate(query.expression, range.low, range.high);
    for (const candidate of rows) yield candidate.id as bigint;
  }

  function search(
    query: SegmentQuery,
    range: IdRange,
    limit: number,
    expired: () => boolean,
  ): SegmentAnswer {
    const answer: SegmentAnswer = { ids: [], stoppedAt: null, candidates: 0 };
    for (const id of candidates(query, range)) {
      answer.candidates += 1;
      if (liesInWindow(id, query) && passes(query.residual, row, id)) answer.ids.push(id);
      if (answer.ids.length >= limit) break;
      if (answer.candidates % candidatesBetweenChecks === 0 && expired()) {
        answer.stoppedAt = id;
        break;
      }
    }
    return answer;
  }

  return { search, row, close: () => database.close() };
}

function passes(residual: PlanNode, read: (id: bigint) => RecordRow | null, id: bigint): boolean {
  if (residual.kind === "all") return true;
  const row = read(id);
  return row !== null && matches(residual, rowSubject(row));
}

/** A stored row as the matcher reads it; the record is decoded only when the plan asks for more than time and counts. */
export function rowSubject(row: RecordRow): Subject {
  return {
    timeMs: row.timeMs,
    counts: row.counts,
    geo: () => decodeRecord(row).geo,
    terms: () => indexTerms(decodeRecord(row)),
  };
}

type Row = Record<string, unknown>;

function countsOf(row: Row): PostCounts {
  const count = (value: unknown): number | null => (value === null ? null : Number(value));
  return {
    likes: count(row.likes),
    reposts: count(row.reposts),
    replies: count(row.replies),
    quotes: count(row.quotes),
  };
}

type Statements = Record<"row" | "time" | "all" | "matching", StatementSync>;

function prepareStatements(database: DatabaseSync): Statements {
  const all = database.prepare("SELECT id FROM post WHERE id BETWEEN ? AND ? ORDER BY id DESC");
  const matching = database.prepare(
    `SELECT rowid AS id FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ?
     ORDER BY rowid DESC`,
  );
  all.setReadBigInts(true);
  matching.setReadBigInts(true);
  return {
    all,
    matching,
    time: database.prepare("SELECT time_ms FROM post WHERE id = ?"),
    row: database.prepare(
      "SELECT time_ms, likes, reposts, replies, quotes, record FROM post WHERE id = ?",
    ),
  };
}
