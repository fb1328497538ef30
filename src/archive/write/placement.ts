import { lastId, lowestId, parseXId, uriHash } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { isSameRecord } from "../../posts/record.ts";
import type { WriteReport } from "../archive.ts";
import { currentNumbering, type SegmentEntry } from "../catalog/catalog.ts";
import { type MisplacedPosts, spanAround, uriTimeMs } from "../catalog/misplaced.ts";
import { forgottenRevision, type Tombstones } from "../catalog/removed-posts.ts";
import type { PreparedChange, PreparedPost } from "../prepared.ts";
import type { PostLookup } from "../segments/lookup.ts";
import { areCountsEqual, mergeCounts } from "../segments/post-counts.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import type { StoredPost } from "../segments/stored-posts.ts";
import { createIdAllocator, type StoredIds } from "./id-allocator.ts";
import { haveDistinctIds } from "./prepare.ts";

export type AssignedChange =
  | { kind: "insert"; post: PreparedPost; id: bigint }
  | { kind: "update"; post: PreparedPost; stored: StoredPost; id: bigint }
  | {
      kind: "remove";
      platform: Platform;
      id: bigint;
      hash: bigint | null;
      uri: string;
      revision: string;
    }
  | { kind: "reject"; id: bigint; uri: string; revision: string }
  | { kind: "renumber"; id: bigint; newId: bigint; hash: bigint };

export type Segments = {
  entries: readonly SegmentEntry[];
  openWriter(entry: SegmentEntry): SegmentWriter;
  hashUri(uri: string): bigint;
  misplacedPosts: MisplacedPosts;
};

export function owner(entries: readonly SegmentEntry[], id: bigint): SegmentEntry {
  const entry = entries.findLast(({ low }) => low <= id);
  if (entry === undefined) throw new Error(`no segment owns ID ${id}`);
  return entry;
}

/**
 * Decides where each post is stored, which ID a new one gets, and whether a tombstone rejects it.
 */
export function assignChanges(
  changes: readonly PreparedChange[],
  segments: Segments,
  tombstones: Tombstones,
  report: WriteReport,
): AssignedChange[] {
  const assignedChanges: AssignedChange[] = [];
  const inserts: PreparedPost[] = [];
  for (const change of changes) {
    const stored = findStored(segments, change);
    if (change.kind === "delete") {
      tombstones.add(change);
      if (stored === null) {
        if (change.revision === forgottenRevision) assignedChanges.push(rejection(change));
        continue;
      }
      if (change.revision !== "" && stored.isIntact && stored.revision > change.revision) {
        report.unchanged += 1;
        continue;
      }
      report.deleted += 1;
      const { platform, hash, uri, revision } = change;
      assignedChanges.push({ kind: "remove", platform, id: stored.id, hash, uri, revision });
    } else if (tombstones.covers(change)) {
      report.suppressed += 1;
    } else if (stored === null) {
      report.inserted += 1;
      inserts.push(change);
    } else if (isNewer(change, stored)) {
      report.updated += 1;
      assignedChanges.push({ kind: "update", post: change, stored, id: stored.id });
    } else {
      report.unchanged += 1;
    }
  }
  return withNumberedInserts(segments, inserts, assignedChanges);
}

function withNumberedInserts(
  segments: Segments,
  inserts: readonly PreparedPost[],
  assignedChanges: readonly AssignedChange[],
): AssignedChange[] {
  if (inserts.length === 0) return [...assignedChanges];
  if (haveFreeIds(segments, inserts)) {
    return [
      ...assignedChanges,
      ...inserts.map((post): AssignedChange => ({ kind: "insert", post, id: post.id })),
    ];
  }
  const allocator = createIdAllocator(storedIds(segments));
  for (const post of inserts) if (post.hash === null) allocator.insertFixed(post, post.id);
  for (const post of inserts) {
    if (post.hash !== null) allocator.insert(post, post.id, uriHash(post.uri));
  }
  const moves = allocator.moves().map(({ from, to }): AssignedChange & { kind: "renumber" } => {
    const uri = getWriter(segments, from).findById(from)?.uri ?? "";
    return { kind: "renumber", id: from, newId: to, hash: segments.hashUri(uri) };
  });
  const newIds = new Map(moves.map(({ id, newId }) => [id, newId]));
  return [
    ...moves,
    ...assignedChanges.map((change) => movedTo(change, newIds.get(change.id) ?? change.id)),
    ...inserts.map(
      (post): AssignedChange => ({ kind: "insert", post, id: allocator.assignedId(post) }),
    ),
  ];
}

const haveFreeIds = (segments: Segments, posts: readonly PreparedPost[]): boolean =>
  haveDistinctIds(posts) && posts.every(({ id }) => !getWriter(segments, id).has(id));

const movedTo = (change: AssignedChange, id: bigint): AssignedChange =>
  change.kind === "update"
    ? { ...change, id, stored: { ...change.stored, id } }
    : { ...change, id };

const getWriter = (segments: Segments, id: bigint): SegmentWriter =>
  segments.openWriter(owner(segments.entries, id));

/** A millisecond is never split between segments. */
const storedIds = (segments: Segments): StoredIds => ({
  lowest: (from, to) => getWriter(segments, from).lowestId(from, to),
  highest: (from, to) => getWriter(segments, from).highestId(from, to),
  findUriHash: (id) => {
    const uri = getWriter(segments, id).findById(id)?.uri ?? "";
    return uri === "" || parseXId(uri) !== null ? null : uriHash(uri);
  },
  isOrdered: (id) => owner(segments.entries, id).numbering === currentNumbering,
});

const rejection = ({ uri, revision }: { uri: string; revision: string }): AssignedChange => ({
  kind: "reject",
  id: lastId,
  uri,
  revision,
});

export type PostKey = {
  platform: Platform;
  uri: string;
  hash: bigint | null;
  id: bigint | null;
};

export type LookupSegments<Found> = {
  entries: readonly SegmentEntry[];
  openWriter(entry: SegmentEntry): PostLookup<Found>;
  misplacedPosts: Pick<MisplacedPosts, "misplacedIds">;
};

/**
 * Finds X posts by their native ID, and other posts near the time in their uri or where the catalog
 * lists them. If the uri has no time, the segment of the post's ID comes first, then all others.
 */
export function findStored<Found>(segments: LookupSegments<Found>, postKey: PostKey): Found | null {
  const { entries, openWriter, misplacedPosts } = segments;
  const { platform, uri, hash, id } = postKey;
  if (hash === null) {
    if (id === null) return null;
    const writer = openWriter(owner(entries, id));
    const found = writer.has(id) ? writer.findById(id) : null;
    return found !== null && hasUri(found, uri) ? found : null;
  }
  for (const entry of likelyEntries(entries, postKey)) {
    const found = openWriter(entry).findByUri(hash, uri);
    if (found !== null) return found;
  }
  for (const misplacedId of misplacedPosts.misplacedIds(platform, hash)) {
    const found = openWriter(owner(entries, misplacedId)).findByUri(hash, uri);
    if (found !== null) return found;
  }
  return null;
}

/** A match by ID or 64-bit hash is the right post even if its row is damaged. */
const hasUri = (found: { uri: string }, uri: string): boolean =>
  found.uri === uri || found.uri === "";

function likelyEntries(
  entries: readonly SegmentEntry[],
  { platform, uri, id }: PostKey,
): SegmentEntry[] {
  const uriMs = uriTimeMs(platform, uri);
  const ownerEntry = id === null ? null : owner(entries, id);
  if (uriMs === null) {
    const firstEntry = ownerEntry ?? entries.at(-1);
    const otherEntries = entries.filter((entry) => entry !== firstEntry).reverse();
    return firstEntry === undefined ? otherEntries : [firstEntry, ...otherEntries];
  }
  const { fromMs, toMs } = spanAround(uriMs);
  const [low, high] = [lowestId(fromMs), lowestId(toMs + 1)];
  const nearbyEntries = entries.filter(
    (entry) => entry.low <= high && entry.high >= low && entry !== ownerEntry,
  );
  return ownerEntry === null ? nearbyEntries.reverse() : [ownerEntry, ...nearbyEntries.reverse()];
}

function isNewer(post: PreparedPost, stored: StoredPost): boolean {
  if (!stored.isIntact) return true;
  if (post.imported && !stored.imported) return false;
  if (post.revision !== "" && stored.revision !== "") return post.revision > stored.revision;
  return (
    !isSameRecord(post.record, stored.record) ||
    (post.timeMs !== stored.timeMs && !post.timeIsCapped) ||
    !areCountsEqual(mergeCounts(post.counts, stored.counts), stored.counts)
  );
}
