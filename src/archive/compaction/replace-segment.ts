/**
 * Splitting, reindexing, thinning, sealing and forgetting all copy the segment beside itself: it takes half a minute for a
 * million posts, while batches and searches must wait for milliseconds only. Everything a segment contains must be copied:
 * rows, URIs, hidden posts, ingest order, the step of its counts. Numbers of files are never reused.
 */

import { DatabaseSync } from "node:sqlite";
import { lastId, type TimeSkew } from "../../posts/ids.ts";
import {
  addSegmentEntry,
  nextSequence,
  presentAnalyzer,
  readSegments,
  readSetting,
  readUriKey,
  type SegmentEntry,
  segmentPath,
  setOptimised,
} from "../catalog/catalog.ts";
import { countCommit } from "../catalog/commit-number.ts";
import { misplacedPostsOf } from "../catalog/misplaced.ts";
import { rewriteInProgress, takeWantedRewrite, wantRewrites } from "../catalog/pending-rewrites.ts";
import { endSalvage, isSalvagePending, requestSalvage } from "../catalog/pending-salvage.ts";
import { committed } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { deletionsCopier } from "../segments/deletions.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { catchUp, finish } from "./catch-up.ts";
import type { CompactionContext } from "./context.ts";
import { type FollowedSegment, follow, type Part } from "./followed-segment.ts";
import {
  notCommitted,
  reinstate,
  removeEntry,
  retire,
  setRewriting,
  stopNoting,
} from "./retire.ts";
import { createSegmentCopy, removeSegmentFiles } from "./segment-copy.ts";
import { inLock, type Steps } from "./steps.ts";

/**
 * Puts other files in the place of a segment's, while batches are written and readers read.
 *
 * 1. Under the catalog's lock the segment is marked: from then on every batch notes in the segment itself which of its posts
 *    it changes. The numbers of the files to come are taken, as those of retired files: after a crash they are removed so.
 * 2. The copies are filled in short steps, and put on disk. What is in them may be older than the mark, or younger.
 * 3. What was changed meanwhile is taken from the segment in rounds, each shorter than the one before, until little is left.
 * 4. Under the catalog's lock the rest is taken, the copies are committed, and one commit of the catalog puts their entries
 *    in the place of the old one, whose file is retired: those who read it go on until they look at the catalog again.
 *
 * A crash or an error before that commit leaves the segment as it was, and after it the copies as they are.
 */
export type Replacement = {
  /** Where the segments after the first begin, lowest first; each the first ID of a millisecond. */
  cuts: readonly bigint[];
  /** Which posts stay, by their record; null keeps all. */
  keeps: ((record: string) => boolean) | null;
  /** Whether terms are taken over as they are, so that the present analyzer must have made them. */
  terms: "present" | "any";
  /** Makes whole segments of the copies, with everything that lay in the segment at some time after the mark. */
  fill(followed: FollowedSegment, beginning: Beginning): Steps<void>;
  /** Whether posts that an earlier release numbered get the IDs of `number-slots.ts`. */
  renumbers?: boolean;
  /** Where the segment may be damaged: nothing else need be readable in it than what `fill` reads. */
  salvages?: boolean;
  /** Whether the segment's file is kept as an orphaned one. */
  setsAside?(): boolean;
  /** Runs in the commit that puts the copies in the segment's place. */
  onSwap?(followed: FollowedSegment): void;
};

export type Beginning = {
  /** One for each file to come, lowest IDs first. */
  places: readonly { sequence: number; low: bigint }[];
  /** Arrivals below it are forgotten. */
  arrivalsFrom: number;
  /** Covers the posts of the segment. */
  skew: TimeSkew;
};

export type RewriteReport = {
  /** False when the segment was gone before it could be rewritten. */
  isDone: boolean;
  posts: number;
  /** Posts that were not kept. */
  dropped: number;
};

/** Posts whose changes may be left for the moment under the lock, and rounds until they must be so few. */
const mostUnderLock = 500;
const mostSwaps = 20;
/** Page cache of the segment while it is followed, KiB. */
const followedCacheKib = 8_000;

/** The caller holds the upkeep lock. Errors: those of SQLite, such as a full disk; `busy` when changes come too fast. */
export function* replaceSegment(
  context: CompactionContext,
  entry: SegmentEntry,
  replacement: Replacement,
): Steps<RewriteReport> {
  const { folder, catalog } = context;
  const begun = yield* inLock(catalog, () => begin(context, entry, replacement));
  if (begun === null) return { isDone: false, posts: 0, dropped: 0 };
  const parts: Part[] = [];
  let old: DatabaseSync | null = null;
  let isDone = false;
  try {
    const path = segmentPath(folder, entry);
    old = replacement.salvages ? openFollowable(context, path) : openOld(path);
    // The changes that are taken off need not be on disk: after a crash the copy is made anew.
    old.exec("PRAGMA synchronous = NORMAL");
    for (const { sequence, low } of begun.places) {
      const path = segmentPath(folder, { platform: entry.platform, sequence });
      parts.push({ sequence, low, copy: createSegmentCopy(path, entry.platform) });
    }
    const followed = follow(context, entry, old, parts, replacement);
    yield* replacement.fill(followed, begun);
    const copyDeletions = copierOf(old, replacement.salvages === true);
    parts[0]?.copy.takeDeletions(copyDeletions);
    yield "worked";
    for (let tries = 0; !isDone; tries += 1) {
      if (tries >= mostSwaps)
        throw new Error("the segment is changed faster than it can be copied");
      yield* catchUp(followed);
      isDone = yield* inLock(catalog, () => {
        const setsAside = replacement.setsAside?.() ?? false;
        const isSwapped = swap(context, entry, followed, { setsAside, copyDeletions });
        if (isSwapped) replacement.onSwap?.(followed);
        return isSwapped;
      });
    }
    const posts = parts.reduce((sum, { copy }) => sum + copy.numbers().posts, 0);
    return { isDone, posts, dropped: Math.max((postsOf(old) ?? posts) - posts, 0) };
  } finally {
    for (const { copy } of parts) copy.close();
    old?.close();
    if (!isDone) abandon(context, entry, begun.places);
  }
}

const openOld = (path: string): DatabaseSync => openSegmentFile(path, followedCacheKib);

/**
 * A segment of which changes can be followed; an empty one in memory where they cannot, as then no batch can write to it
 * either: changes are noted in the same transaction.
 */
function openFollowable({ catalog }: CompactionContext, path: string): DatabaseSync {
  let old: DatabaseSync | null = null;
  try {
    old = openOld(path);
    old.prepare("SELECT id FROM changed LIMIT 1").get();
    const counted = old.prepare("SELECT value FROM setting WHERE name = 'counted'").get();
    if (typeof counted?.value === "number") return old;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  old?.close();
  const empty = new DatabaseSync(":memory:");
  for (const migration of segmentMigrations) empty.exec(migration);
  // No step of counts that was added before is added again.
  empty
    .prepare("UPDATE setting SET value = ? WHERE name = 'counted'")
    .run(Number(readSetting(catalog, "count_step")));
  return empty;
}

/** Null where a damaged segment does not tell. */
function postsOf(segment: DatabaseSync): number | null {
  try {
    return Number(segment.prepare("SELECT value FROM setting WHERE name = 'posts'").get()?.value);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

function begin(
  context: CompactionContext,
  entry: SegmentEntry,
  { cuts, terms }: Replacement,
): Beginning | null {
  const { catalog, clock } = context;
  const now = present(catalog, entry);
  if (now === null || (terms === "present" && now.analyzer !== presentAnalyzer)) return null;
  stopNoting(context, entry);
  // What is wanted from now on, as more is to be forgotten, is not done with this, and nothing is where terms are taken over.
  const isWanted = terms === "any" && takeWantedRewrite(catalog, entry);
  setRewriting(catalog, entry, isWanted ? rewriteInProgress : 1);
  const { platform } = entry;
  const places = [entry.low, ...cuts].map((low) => {
    const sequence = nextSequence(catalog, platform);
    retire(catalog, { platform, sequence }, clock.now(), notCommitted);
    return { sequence, low };
  });
  return { places, arrivalsFrom: Number(readSetting(catalog, "arrivals_from")), skew: now.skew };
}

type CopyDeletions = (to: DatabaseSync) => void;

/** What cannot be read of a damaged segment's deletions the catalog still has. */
function copierOf(old: DatabaseSync, salvages: boolean): CopyDeletions {
  const copy = deletionsCopier(old);
  if (!salvages) return copy;
  return (to) => {
    try {
      copy(to);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  };
}

/** The entry as it is now: others may have widened it. */
function present(catalog: DatabaseSync, entry: SegmentEntry): SegmentEntry | null {
  const found = readSegments(catalog).find(
    ({ platform, sequence }) => platform === entry.platform && sequence === entry.sequence,
  );
  return found ?? null;
}

/** Puts the copies in the segment's place; false when too much has changed for one moment under the lock. */
function swap(
  { catalog, clock }: CompactionContext,
  entry: SegmentEntry,
  followed: FollowedSegment,
  { setsAside, copyDeletions }: { setsAside: boolean; copyDeletions: CopyDeletions },
): boolean {
  const now = present(catalog, entry);
  if (now === null) throw new Error("the segment is gone");
  if (!finish(followed, mostUnderLock)) return false;
  const commit = countCommit(catalog);
  followed.parts[0]?.copy.takeDeletions(copyDeletions);
  identifyParts(catalog, entry, now, followed, commit);
  const isWanted = takeWantedRewrite(catalog, entry);
  const isSalvage = isSalvagePending(catalog, entry);
  endSalvage(catalog, entry);
  removeEntry(catalog, entry);
  // What is not known to be retired by a commit is moved to the orphaned files instead of being removed.
  retire(catalog, entry, clock.now(), setsAside ? notCommitted : commit);
  for (const { sequence, low, copy } of followed.parts) {
    const { platform } = entry;
    reinstate(catalog, { platform, sequence });
    addSegmentEntry(catalog, {
      platform,
      sequence,
      low: lowOf(low, entry, now),
      skew: copy.skew(),
      writtenIn: commit,
      numbering: followed.numbering,
    });
    const next = followed.parts.find((part) => part.low > low);
    // What still fills is merged when it is quiet.
    if (next !== undefined || now.high !== lastId) setOptimised(catalog, { platform, sequence });
    if (isWanted && isSalvage) requestSalvage(catalog, { platform, sequence });
    else if (isWanted) wantRewrites(catalog, [{ platform, sequence }]);
  }
  const strayed = misplacedPostsOf(catalog);
  for (const [id, hash] of followed.dropped) strayed.remove(entry.platform, hash, id);
  return true;
}

/** The first of the parts begins where the segment does by now, which may have taken in the IDs of one that is gone. */
const lowOf = (low: bigint, entry: SegmentEntry, now: SegmentEntry): bigint =>
  low === entry.low ? now.low : low;

/** Notes in the copies who they are from this commit of the catalog on. */
function identifyParts(
  catalog: DatabaseSync,
  entry: SegmentEntry,
  now: SegmentEntry,
  { parts }: FollowedSegment,
  commit: number,
): void {
  const uriKey = readUriKey(catalog);
  const { platform } = now;
  for (const { sequence, low, copy } of parts) {
    copy.identify({
      uriKey,
      platform,
      sequence,
      low: lowOf(low, entry, now),
      madeIn: commit,
      writtenIn: commit,
      replaces: now.sequence,
    });
  }
}

/** Leaves the segment as it was. What cannot be tidied up now is tidied up later. */
function abandon(
  context: CompactionContext,
  entry: SegmentEntry,
  places: readonly { sequence: number }[],
): void {
  const { folder, catalog } = context;
  const { platform } = entry;
  try {
    if (present(catalog, entry) === null) return;
    for (const { sequence } of places) {
      removeSegmentFiles(segmentPath(folder, { platform, sequence }));
    }
    catalog.exec("PRAGMA busy_timeout = 200; BEGIN IMMEDIATE");
    committed(catalog, () => {
      stopNoting(context, entry);
      for (const { sequence } of places) reinstate(catalog, { platform, sequence });
    });
  } catch {
    if (catalog.isTransaction) catalog.exec("ROLLBACK");
  }
}
