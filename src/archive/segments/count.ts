import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  firstSnowflake,
  firstTimeMs,
  type IdRange,
  idTimeMs,
  type TimeSkew,
} from "../../posts/ids.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { PlanNode } from "../../query/plan.ts";
import { onSnapshot } from "../database.ts";

/** Stretches of time side by side: the one with number n is [originMs + n · widthMs, originMs + (n + 1) · widthMs). */
export type Grid = { originMs: number; widthMs: number };

/** What is counted in a segment. */
export type CountQuery = {
  /** FTS5 expression of a superset; null where every row has to be looked at. */
  expression: string | null;
  /** What the matcher still has to look at; `all` when the expression is exact. */
  residual: PlanNode;
  /** By how much the times of the segment's posts differ from those of their IDs. */
  skew: TimeSkew;
};

type SegmentCounts = {
  /** How many posts match in each stretch that has any, by its number; also those that lie only partly in the range. */
  counts: Map<number, number>;
  /** Every post of the range with this time or a later one was counted, where the deadline came before the end; else null. */
  countedFromMs: number | null;
  statements: number;
};

/** Counts the posts of one segment. */
export type SegmentCounter = {
  /**
   * Runs `work` on one snapshot of the segment. The number it is given is another one as soon as anything in the segment has
   * changed, as long as the segment stays open.
   */
  onSnapshot<Value>(work: (version: number) => Value): Value;
  /** The posts of a range of IDs that match and are not hidden, newest IDs first, each in the stretch of its time. */
  count(query: CountQuery, range: IdRange, grid: Grid, expired: () => boolean): SegmentCounts;
};

/**
 * How many matches one statement counts; between two of them the deadline is looked at. Each statement finds its place in the
 * index anew, which costs about 0.3 ms: with fewer matches a statement that would be most of the work.
 */
const matchesOfStatement = 16_384;
/** The same where the time of every match stands in its row alone. */
const timedMatchesOfStatement = 2_048;
/** How many rows are read at a time where the matcher decides. */
const rowsOfBatch = 128;

type RowsOfSegment = {
  rows(ids: readonly bigint[]): RecordRow[];
  isMatch(plan: PlanNode, row: RecordRow): boolean;
};

/** The counter of an open segment. Statements are prepared when they are first needed: most segments are only searched. */
export function segmentCounter(database: DatabaseSync, segment: RowsOfSegment): SegmentCounter {
  const prepared = new Map<string, StatementSync>();

  function statement(sql: string): StatementSync {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const fresh = database.prepare(sql);
    fresh.setReadBigInts(true);
    fresh.setReturnArrays(true);
    prepared.set(sql, fresh);
    return fresh;
  }

  const first = (sql: string): bigint => firstColumn(statement(sql).get());
  const anyHidden = (): boolean => first("SELECT EXISTS(SELECT 1 FROM hidden)") === 1n;

  /** The index alone decides what matches, and the ID tells the time of all but a few: SQLite does the counting. */
  function countInIndex(
    expression: string,
    { low, high }: IdRange,
    { offsetMs, doubtMs, originMs, widthMs }: Clocking,
    expired: () => boolean,
  ): Tally {
    const tally: Tally = { counts: new Map(), stoppedAt: null, statements: 0 };
    const counting = statement(countingSql(anyHidden()));
    const limit = doubtMs < widthMs ? matchesOfStatement : timedMatchesOfStatement;
    const numbers = [limit, offsetMs, widthMs, doubtMs, originMs].map(BigInt);
    for (let next = high; next >= low; ) {
      const groups = counting.all(expression, low, next, ...numbers) as unknown as Group[];
      tally.statements += 1;
      let matches = 0;
      for (const [stretch, count, lowest] of groups) {
        matches += Number(count);
        if (lowest <= next) next = lowest - 1n;
        if (stretch !== null) add(tally.counts, Number(stretch), Number(count));
      }
      if (matches < limit) break;
      if (!expired()) continue;
      tally.stoppedAt = next + 1n;
      break;
    }
    return tally;
  }

  /** The row of every candidate is read: the index names too many, or nothing that could be trusted. */
  function countInRows(
    { expression, residual }: CountQuery,
    { low, high }: IdRange,
    { originMs, widthMs }: Grid,
    expired: () => boolean,
  ): Tally {
    const tally: Tally = { counts: new Map(), stoppedAt: null, statements: 1 };
    const hidden = anyHidden();
    const candidates =
      expression === null
        ? statement(everyRowSql(hidden)).iterate(low, high)
        : statement(candidatesSql(hidden)).iterate(expression, low, high);
    let batch: bigint[] = [];
    const countBatch = (): void => {
      if (batch.length === 0) return;
      tally.statements += 1;
      for (const row of segment.rows(batch)) {
        if (!segment.isMatch(residual, row)) continue;
        add(tally.counts, Math.floor((row.timeMs - originMs) / widthMs), 1);
      }
      batch = [];
    };
    for (const candidate of candidates) {
      const id = firstColumn(candidate);
      batch.push(id);
      if (batch.length < rowsOfBatch) continue;
      countBatch();
      if (!expired()) continue;
      tally.stoppedAt = id;
      return tally;
    }
    countBatch();
    return tally;
  }

  function count(
    query: CountQuery,
    range: IdRange,
    grid: Grid,
    expired: () => boolean,
  ): SegmentCounts {
    const { expression, residual, skew } = query;
    const answer: SegmentCounts = { counts: new Map(), countedFromMs: null, statements: 0 };
    for (const { part, clocking } of partsOf(range, grid, skew)) {
      const tally =
        expression !== null && residual.kind === "all"
          ? countInIndex(expression, part, clocking, expired)
          : countInRows(query, part, grid, expired);
      answer.statements += tally.statements;
      for (const [stretch, number] of tally.counts) add(answer.counts, stretch, number);
      if (tally.stoppedAt === null) continue;
      answer.countedFromMs = countedFrom(tally.stoppedAt, skew);
      break;
    }
    return answer;
  }

  return {
    count,
    onSnapshot: (work) => onSnapshot(database, () => work(Number(first("PRAGMA data_version")))),
  };
}

/** From which time on everything is counted when all IDs from `stoppedAt` on are. */
export function countedFrom(stoppedAt: bigint, { maxMs }: TimeSkew): number {
  // Whatever lies below may be a post whose ID tells no time; it is not younger than the IDs that do.
  return Math.max(idTimeMs(stoppedAt) + maxMs, firstTimeMs) + 1;
}

/**
 * How an ID's time part becomes the number of a stretch: with `offsetMs` added it is the latest time the post can have, counted
 * from the grid's origin. Where that lies less than `doubtMs` after the beginning of a stretch, the row's time decides.
 */
type Clocking = Grid & { offsetMs: number; doubtMs: number };

type Tally = { counts: Map<number, number>; stoppedAt: bigint | null; statements: number };
/** Number of the stretch (null for a row that is gone), matches, lowest ID. */
type Group = [bigint | null, bigint, bigint];

/** IDs that tell a time and those that do not, newest first; of the latter only the rows know the times. */
function partsOf(
  { low, high }: IdRange,
  grid: Grid,
  { minMs, maxMs }: TimeSkew,
): { part: IdRange; clocking: Clocking }[] {
  const offsetMs = idTimeMs(0n) + maxMs - grid.originMs;
  const told = { part: { low: greater(low, firstSnowflake), high }, doubtMs: maxMs - minMs };
  const untold = { part: { low, high: lesser(high, firstSnowflake - 1n) }, doubtMs: grid.widthMs };
  return [told, untold]
    .filter(({ part }) => part.low <= part.high)
    .map(({ part, doubtMs }) => ({ part, clocking: { ...grid, offsetMs, doubtMs } }));
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function add(counts: Map<number, number>, stretch: number, number: number): void {
  counts.set(stretch, (counts.get(stretch) ?? 0) + number);
}

function firstColumn(row: unknown): bigint {
  return (row as [bigint])[0];
}

const notHidden = (id: string, anyHidden: boolean): string =>
  anyHidden ? `AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = ${id})` : "";

/** ?1 expression, ?2 and ?3 IDs, ?4 how many matches at most, ?5 offset, ?6 width, ?7 doubt, ?8 origin of the grid. */
const countingSql = (anyHidden: boolean): string => `
  SELECT stretch, count(*), min(id) FROM (
    SELECT rowid AS id,
      CASE WHEN ((rowid >> 22) + ?5) % ?6 >= ?7 THEN ((rowid >> 22) + ?5) / ?6
      ELSE (
        SELECT (time_ms - ?8 - ((time_ms - ?8) % ?6 + ?6) % ?6) / ?6 FROM post WHERE post.id = term.rowid
      ) END AS stretch
    FROM term WHERE term MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ${notHidden("term.rowid", anyHidden)}
    ORDER BY rowid DESC LIMIT ?4
  ) GROUP BY stretch`;

const candidatesSql = (anyHidden: boolean): string => `
  SELECT rowid FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ? ${notHidden("term.rowid", anyHidden)}
  ORDER BY rowid DESC`;

const everyRowSql = (anyHidden: boolean): string => `
  SELECT id FROM post WHERE id BETWEEN ? AND ? ${notHidden("post.id", anyHidden)} ORDER BY id DESC`;
