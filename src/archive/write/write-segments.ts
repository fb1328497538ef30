/**
 * Changes are written in ID order, because FTS5 stores postings by rowid: rewriting ran at 45,900
 * posts/s sorted and 4,200 unsorted.
 */

import { firstInMillisecond, lastId, nextMillisecondId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { currentAnalyzer, currentNumbering, nextSequence } from "../catalog/catalog.ts";
import { findModeration } from "../catalog/moderation.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import { type AssignedChange, owner } from "./placement.ts";
import { subtractReactions } from "./reactions.ts";
import { inSegment, type WriteContext } from "./write-context.ts";

export type IngestNumbers = { last: number };

/**
 * Takes changes until `room` posts are inserted, and then the rest of that millisecond, which is
 * never split.
 */
function upToCapacity(changes: readonly AssignedChange[], room: number): AssignedChange[] {
  let inserts = 0;
  let cut: bigint | null = null;
  let end = 0;
  for (const change of changes) {
    if (cut !== null && change.id >= cut) break;
    end += 1;
    if (change.kind === "insert") inserts += 1;
    if (cut === null && inserts >= room) cut = nextMillisecondId(change.id);
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
  let pending = inWriteOrder(changes);
  while (pending.length > 0) {
    const entries = writers.entries(platform);
    const entry = owner(entries, pending[0]?.id ?? 0n);
    const isNewest = entry === entries.at(-1);
    const writer = writers.openWriter(entry);
    const segmentChanges = pending.filter((change) => change.id <= entry.high);
    const batch = isNewest
      ? upToCapacity(segmentChanges, segmentPosts - writer.posts())
      : segmentChanges;
    inSegment(context, writer, entry, () => {
      for (const change of batch) {
        applyChange(context, writer, platform, change, numbers);
        if (isModerated) moderate(context, writer, change);
      }
    });
    pending = pending.slice(batch.length);
    const end = writer.end();
    const isCurrent = entry.analyzer === currentAnalyzer && entry.numbering === currentNumbering;
    const isFinished = writer.posts() >= segmentPosts || !isCurrent;
    if (isNewest && isFinished && end <= lastId) {
      const sequence = nextSequence(catalog, platform);
      writers.add({ platform, sequence, low: end, skew: entry.skew });
      writers.close(entry);
    }
  }
}

export const inWriteOrder = (changes: readonly AssignedChange[]): AssignedChange[] =>
  changes.toSorted(compare);

function compare(a: AssignedChange, b: AssignedChange): number {
  const [first, second] = [computePosition(a), computePosition(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

const computePosition = (change: AssignedChange): bigint =>
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
    context.misplaced.remove(change.platform, change.hash, change.id);
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
