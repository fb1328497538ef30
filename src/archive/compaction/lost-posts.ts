import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Span, unionSpans } from "../../lib/spans.ts";
import { idsWindow } from "../../posts/ids.ts";
import { orphanedFolder } from "../catalog/archive-files.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import type { UnreadableIds } from "../segments/intact-rows.ts";

export type LostPost = { id: bigint; uri: string | null };

export type LostPosts = {
  count: number;
  isExact: boolean;
  posts: readonly LostPost[];
  spans: readonly Span[];
};

export function lostSpans(
  entry: SegmentEntry,
  posts: readonly LostPost[],
  unreadableRanges: readonly UnreadableIds[],
  nowMs: number,
): Span[] {
  const spans = [
    ...posts.map(({ id }) => ({ low: id, high: id })),
    ...unreadableRanges.map(({ from, to }) => ({
      low: maxId(from + 1n, entry.low),
      high: to === null ? entry.high : to - 1n,
    })),
  ].map(({ low, high }) => idsWindow(low, high, entry.skew));
  return unionSpans(
    spans.map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs ?? nowMs + 1, nowMs + 1) })),
  );
}

const maxId = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export function writeLostList(
  folder: string,
  entry: SegmentEntry,
  posts: readonly LostPost[],
): string | null {
  if (posts.length === 0) return null;
  const path = lostListPath(folder, entry);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lines = posts.map(({ id, uri }) => (uri === null ? `${id}\n` : `${id} ${uri}\n`));
  writeFileSync(path, lines.join(""), { mode: 0o600 });
  return path;
}

function lostListPath(folder: string, entry: SegmentEntry): string {
  const number = basename(segmentPath("", entry), ".db");
  return join(orphanedFolder(folder), `${entry.platform}-${number}.lost`);
}
