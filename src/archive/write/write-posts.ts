import {
  firstInMillisecond,
  firstTimeMs,
  hasTime,
  idTimeMs,
  lastId,
  nextMillisecondId,
  type TimeSkew,
} from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { WriteReport } from "../archive.ts";
import {
  currentAnalyzer,
  currentNumbering,
  nextSequence,
  type SegmentEntry,
  setSkew,
} from "../catalog/catalog.ts";
import { isMisplaced } from "../catalog/misplaced.ts";
import { findModeration } from "../catalog/moderation.ts";
import { expiredBeforeMs, openTombstones } from "../catalog/removed-posts.ts";
import type { PreparedChange } from "../prepared.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import { type AssignedChange, assignChanges, owner } from "./placement.ts";
import { subtractReactions } from "./reactions.ts";
import { inSegment, type WriteContext } from "./write-context.ts";

type AssignOptions = {
  report: WriteReport;
  openWriter(entry: SegmentEntry): SegmentWriter;
};

export function assignPosts(
  context: WriteContext,
  platform: Platform,
  changes: readonly PreparedChange[],
  { report, openWriter }: AssignOptions,
): AssignedChange[] {
  const { catalog, accounts } = context;
  const entries = ensureSegmentEntries(context, platform);
  const segments = { ...context, openWriter, entries };
  const tombstones = openTombstones(catalog, platform, accounts);
  return rejectExpired(
    context,
    platform,
    assignChanges(changes, segments, tombstones, report),
    report,
  );
}

export function ensureSegmentEntries(
  { catalog, writers }: WriteContext,
  platform: Platform,
): SegmentEntry[] {
  if (writers.entries(platform).length === 0) {
    const sequence = nextSequence(catalog, platform);
    writers.add({ platform, sequence, low: 0n, skew: { minMs: 0, maxMs: 0 } });
  }
  return writers.entries(platform);
}

function rejectExpired(
  { catalog }: WriteContext,
  platform: Platform,
  changes: AssignedChange[],
  report: WriteReport,
): AssignedChange[] {
  const cutoffMs = expiredBeforeMs(catalog, platform);
  if (cutoffMs === null) return changes;
  const acceptedChanges = changes.filter(
    (change) => change.kind !== "insert" || change.post.imported || change.post.timeMs >= cutoffMs,
  );
  report.inserted -= changes.length - acceptedChanges.length;
  report.suppressed += changes.length - acceptedChanges.length;
  return acceptedChanges;
}

export function addAuthorsWithoutHandle(
  { accounts }: WriteContext,
  changes: readonly AssignedChange[],
): void {
  for (const change of changes) {
    if (change.kind !== "insert" && change.kind !== "update") continue;
    const { platform, userId, lacksHandle } = change.post;
    if (lacksHandle && userId !== null) accounts.add(platform, userId);
  }
}

/**
 * Publishes skews and misplaced posts, which readers need before the posts are written. False
 * if nothing has changed.
 */
export function publish(
  context: WriteContext,
  platform: Platform,
  changes: readonly AssignedChange[],
): boolean {
  const isWidened = widenSkews(context, platform, changes);
  let isListed = false;
  for (const change of changes) {
    if (change.kind !== "insert" || change.post.hash === null) continue;
    const { uri, hash } = change.post;
    if (!isMisplaced(platform, uri, change.id)) continue;
    isListed = context.misplacedPosts.add(platform, hash, change.id) || isListed;
  }
  return isWidened || isListed;
}

function widenSkews(
  { catalog, writers }: WriteContext,
  platform: Platform,
  changes: readonly AssignedChange[],
): boolean {
  const entries = writers.entries(platform);
  const widerSkews = new Map<SegmentEntry, TimeSkew>();
  for (const change of changes) {
    if (change.kind !== "insert" && change.kind !== "update") continue;
    if (!hasTime(change.id) && change.post.timeMs <= firstTimeMs) continue;
    const entry = owner(entries, change.id);
    const skew = widerSkews.get(entry) ?? entry.skew;
    const offsetMs = change.post.timeMs - idTimeMs(change.id);
    if (offsetMs >= skew.minMs && offsetMs <= skew.maxMs) continue;
    widerSkews.set(entry, {
      minMs: Math.min(offsetMs, skew.minMs),
      maxMs: Math.max(offsetMs, skew.maxMs),
    });
  }
  for (const [entry, skew] of widerSkews) setSkew(catalog, entry, skew);
  return widerSkews.size > 0;
}

export type IngestNumbers = { last: number };

/**
 * Takes changes until `room` posts are inserted, and then the rest of that millisecond, which is
 * never split.
 */
function upToCapacity(changes: readonly AssignedChange[], room: number): AssignedChange[] {
  let inserts = 0;
  let cutoffId: bigint | null = null;
  let end = 0;
  for (const change of changes) {
    if (cutoffId !== null && change.id >= cutoffId) break;
    end += 1;
    if (change.kind === "insert") inserts += 1;
    if (cutoffId === null && inserts >= room) cutoffId = nextMillisecondId(change.id);
  }
  return changes.slice(0, end);
}

export function writeSegments(
  context: WriteContext,
  platform: Platform,
  changes: readonly AssignedChange[],
  segmentPosts: number,
  numbers: IngestNumbers,
): void {
  const { catalog, writers, accounts, labels } = context;
  const isModerated = accounts.hasAny(platform) || labels.hasAny(platform);
  let pendingChanges = inWriteOrder(changes);
  while (pendingChanges.length > 0) {
    const entries = writers.entries(platform);
    const entry = owner(entries, pendingChanges[0]?.id ?? 0n);
    const isNewest = entry === entries.at(-1);
    const writer = writers.openWriter(entry);
    const segmentChanges = pendingChanges.filter((change) => change.id <= entry.high);
    const batch = isNewest
      ? upToCapacity(segmentChanges, segmentPosts - writer.posts())
      : segmentChanges;
    inSegment(context, writer, entry, () => {
      for (const change of batch) {
        applyChange(context, writer, platform, change, numbers);
        if (isModerated) moderate(context, writer, change);
      }
    });
    pendingChanges = pendingChanges.slice(batch.length);
    const end = writer.endId();
    const isCurrent = entry.analyzer === currentAnalyzer && entry.numbering === currentNumbering;
    const isFinished = writer.posts() >= segmentPosts || !isCurrent;
    if (isNewest && isFinished && end <= lastId) {
      const sequence = nextSequence(catalog, platform);
      writers.add({ platform, sequence, low: end, skew: entry.skew });
      writers.close(entry);
    }
  }
}

/**
 * Changes are written in ID order, because FTS5 stores postings by rowid: rewriting ran at 45,900
 * posts/s sorted and at 4,200 unsorted.
 */
export const inWriteOrder = (changes: readonly AssignedChange[]): AssignedChange[] =>
  changes.toSorted(compare);

function compare(a: AssignedChange, b: AssignedChange): number {
  const [first, second] = [sortKey(a), sortKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

const sortKey = (change: AssignedChange): bigint =>
  change.kind === "renumber" ? firstInMillisecond(change.id) : change.id;

export function applyChange(
  context: WriteContext,
  writer: SegmentWriter,
  platform: Platform,
  change: AssignedChange,
  numbers: IngestNumbers,
): void {
  if (change.kind === "insert") {
    numbers.last += 1;
    writer.insert(change.post, change.id, numbers.last);
  } else if (change.kind === "update") {
    writer.update(change.post, change.stored);
  } else if (change.kind === "remove") {
    subtractReactions(context, change.platform, writer.read(change.id));
    writer.remove(change.id, change.hash);
    writer.deletions.addPost(change.uri, change.revision);
    if (change.hash === null) return;
    context.misplacedPosts.remove(change.platform, change.hash, change.id);
  } else if (change.kind === "reject") {
    writer.deletions.addPost(change.uri, change.revision);
  } else {
    writer.renumber(change.id, change.newId, change.hash);
    context.aliases.renumber(platform, change.id, change.newId);
  }
}

function moderate(context: WriteContext, writer: SegmentWriter, change: AssignedChange): void {
  if (change.kind !== "insert" && change.kind !== "update") return;
  const moderation = findModeration(change.post, context.accounts, context.labels);
  if (!moderation.hidden && moderation.labels.length === 0) return;
  writer.moderate(change.id, moderation);
}
