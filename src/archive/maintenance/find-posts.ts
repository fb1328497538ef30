import type { DatabaseSync } from "node:sqlite";
import { matches } from "@earshot/query/match";
import { extractBounds, type PlanNode } from "@earshot/query/plan";
import { type IdRange, lastId, windowIds } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import {
  currentAnalyzer,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { openForReading, withSnapshot } from "../database.ts";
import { platformQuery } from "../read/platform-query.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { unlessMarkedDamaged } from "../segments/integrity.ts";
import { rowSubject } from "../segments/row-subject.ts";
import { sealedIds } from "../segments/sealed-ids.ts";
import { rowByIdReader } from "./segment-rows.ts";

export type FoundPost = { platform: Platform; id: bigint; uri: string; entry: SegmentEntry };

const cacheKib = 8_000;

/**
 * Includes hidden posts. Yields one list per segment, after closing it, so that the caller may
 * change it.
 */
export function* findPosts(
  folder: string,
  catalog: DatabaseSync,
  plan: PlanNode,
  platforms: readonly Platform[],
): Generator<FoundPost[]> {
  for (const entry of readSegments(catalog)) {
    if (!platforms.includes(entry.platform)) continue;
    yield findSegmentPosts(segmentPath(folder, entry), entry, plan);
  }
}

function findSegmentPosts(path: string, entry: SegmentEntry, plan: PlanNode): FoundPost[] {
  const database = openForReading(path, cacheKib);
  try {
    return withSnapshot(database, () => matchingPosts(database, path, entry, plan));
  } finally {
    database.close();
  }
}

function matchingPosts(
  database: DatabaseSync,
  path: string,
  entry: SegmentEntry,
  plan: PlanNode,
): FoundPost[] {
  const { platform } = entry;
  const read = rowByIdReader(database, platform);
  return candidates(database, path, entry, plan).flatMap((id) => {
    const row = read(id);
    if (row === null || !matches(plan, rowSubject(row))) return [];
    return [{ platform, id, uri: recordUri(row), entry }];
  });
}

function candidates(
  database: DatabaseSync,
  path: string,
  entry: SegmentEntry,
  plan: PlanNode,
): bigint[] {
  const window = extractBounds(plan, { fromMs: null, toMs: null });
  const query = platformQuery(entry.platform, window);
  if (query === null) return [];
  const { low, high } = windowIds(window.fromMs, window.toMs, entry.skew);
  const from = window.lowId !== null && window.lowId > low ? window.lowId : low;
  const to = window.highId !== null && window.highId < high ? window.highId : high;
  const range = { low: from < 0n ? 0n : from, high: to > lastId ? lastId : to };
  const idsInRange = () =>
    readIds(database, "SELECT id FROM post WHERE id BETWEEN ? AND ?", range.low, range.high);
  if (query.expression === null || entry.analyzer !== currentAnalyzer) return idsInRange();
  const sealed = sealedCandidates(database, path, query.sealed, range);
  if (sealed === null) return idsInRange();
  const matchSql = "SELECT rowid AS id FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ?";
  return [...readIds(database, matchSql, query.expression, range.low, range.high), ...sealed];
}

/** Empty if the segment is not sealed, null if its sealed index is unreadable. */
function sealedCandidates(
  database: DatabaseSync,
  path: string,
  query: SealedQuery,
  range: IdRange,
): bigint[] | null {
  if (sealedState(database) === null) return [];
  return unlessMarkedDamaged<bigint[] | null>(
    path,
    () => sealedIds(database, path, query, range),
    () => null,
  );
}

function readIds(database: DatabaseSync, sql: string, ...values: (string | bigint)[]): bigint[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all(...values).map(({ id }) => id as bigint);
}
