import type { DatabaseSync } from "node:sqlite";
import { idsOfWindow, lastId } from "../../posts/ids.ts";
import { matches } from "../../posts/matcher.ts";
import type { Platform } from "../../posts/post.ts";
import { decodeRecord, recordUri } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import type { PlanNode } from "../../query/plan.ts";
import { splitWindow } from "../../query/window.ts";
import { presentAnalyzer, readSegments, type SegmentEntry, segmentPath } from "../catalog.ts";
import { openForReading } from "../database.ts";
import { platformQuery } from "../platform-query.ts";
import { rowById, type SegmentRow } from "./segment-rows.ts";

/** A post that is held, and the segment that it was found in. */
export type FoundPost = { platform: Platform; id: bigint; uri: string; entry: SegmentEntry };

const cacheKib = 8_000;

/**
 * All posts that match a plan, also those that are hidden, segment by segment. A segment is closed before its posts are
 * given out, so that they may be changed meanwhile. Yields a list for each segment.
 */
export function* findPosts(
  folder: string,
  catalog: DatabaseSync,
  plan: PlanNode,
  platforms: readonly Platform[],
): Generator<FoundPost[]> {
  for (const entry of readSegments(catalog)) {
    if (!platforms.includes(entry.platform)) continue;
    const database = openForReading(segmentPath(folder, entry), cacheKib);
    try {
      yield inSegment(database, entry, plan);
    } finally {
      database.close();
    }
  }
}

function inSegment(database: DatabaseSync, entry: SegmentEntry, plan: PlanNode): FoundPost[] {
  const { platform } = entry;
  const read = rowById(database, platform);
  return candidates(database, entry, plan).flatMap((id) => {
    const row = read(id);
    if (row === null || !isMatch(plan, row)) return [];
    return [{ platform, id, uri: recordUri(row), entry }];
  });
}

/** IDs among which all matches are. */
function candidates(database: DatabaseSync, entry: SegmentEntry, plan: PlanNode): bigint[] {
  const window = splitWindow(plan, { fromMs: null, toMs: null });
  const query = platformQuery(entry.platform, window);
  if (query === null) return [];
  const { low, high } = idsOfWindow(window.fromMs, window.toMs, entry.skew);
  const from = window.lowId !== null && window.lowId > low ? window.lowId : low;
  const to = window.highId !== null && window.highId < high ? window.highId : high;
  const range = [from < 0n ? 0n : from, to > lastId ? lastId : to];
  // Terms that another analyzer made say nothing of what a query asks.
  const isIndexed = query.expression !== null && entry.analyzer === presentAnalyzer;
  const statement = database.prepare(
    isIndexed
      ? "SELECT rowid AS id FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ?"
      : "SELECT id FROM post WHERE id BETWEEN ? AND ?",
  );
  statement.setReadBigInts(true);
  const rows = isIndexed ? statement.all(query.expression, ...range) : statement.all(...range);
  return rows.map(({ id }) => id as bigint);
}

function isMatch(plan: PlanNode, row: SegmentRow): boolean {
  return matches(plan, {
    ...row,
    geo: () => decodeRecord(row).geo,
    terms: () => indexTerms(decodeRecord(row)),
  });
}
