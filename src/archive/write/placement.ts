import { lastId, lowestId, uriHash, xIdOf } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { saysTheSame } from "../../posts/record.ts";
import type { WriteReport } from "../archive.ts";
import { presentNumbering, type SegmentEntry } from "../catalog/catalog.ts";
import { type MisplacedPosts, nearTime, uriTimeMs } from "../catalog/misplaced.ts";
import { forgottenRevision, type Tombstones } from "../catalog/tombstones.ts";
import type { PreparedChange, PreparedPost } from "../prepared.ts";
import type { PostLookup } from "../segments/lookup.ts";
import {
  newestCounts,
  type SegmentWriter,
  type StoredPost,
  sameCounts,
} from "../segments/segment-writer.ts";
import { haveDistinctIds } from "./distinct-ids.ts";
import { numberSlots, type StoredIds } from "./number-slots.ts";

/** A change that knows which ID, and so which segment, it concerns. */
export type AssignedChange =
  | { kind: "insert"; post: PreparedPost; id: bigint }
  | { kind: "update"; post: PreparedPost; held: StoredPost; id: bigint }
  | {
      kind: "remove";
      platform: Platform;
      id: bigint;
      hash: bigint | null;
      uri: string;
      revision: string;
    }
  /** Keeps a post out that is not archived. */
  | { kind: "keep-out"; id: bigint; uri: string; revision: string }
  /** Makes room for another post of the millisecond. */
  | { kind: "renumber"; id: bigint; to: bigint; hash: bigint };

export type Segments = {
  /** Lowest IDs first, all of one platform. */
  entries: readonly SegmentEntry[];
  writerOf(entry: SegmentEntry): SegmentWriter;
  hashOf(uri: string): bigint;
  strayed: MisplacedPosts;
};

/** The segment that an ID belongs to. */
export function owner(entries: readonly SegmentEntry[], id: bigint): SegmentEntry {
  const entry = entries.findLast(({ low }) => low <= id);
  if (entry === undefined) throw new Error(`no segment owns ID ${id}`);
  return entry;
}

/**
 * Decides what each change of one platform does: where its post lies already, which ID a new one gets, what a tombstone keeps
 * out, what is no news. Counts all of it in `report`.
 */
export function assignChanges(
  changes: readonly PreparedChange[],
  segments: Segments,
  tombstones: Tombstones,
  report: WriteReport,
): AssignedChange[] {
  const placed: AssignedChange[] = [];
  const inserts: PreparedPost[] = [];
  for (const change of changes) {
    const held = findStored(segments, change);
    if (change.kind === "delete") {
      tombstones.add(change);
      if (held === null) {
        if (change.revision === forgottenRevision) placed.push(keptOut(change));
        continue;
      }
      if (change.revision !== "" && held.isIntact && held.revision > change.revision) {
        report.unchanged += 1;
        continue;
      }
      report.deleted += 1;
      const { platform, hash, uri, revision } = change;
      placed.push({ kind: "remove", platform, id: held.id, hash, uri, revision });
    } else if (tombstones.cover(change)) {
      report.suppressed += 1;
    } else if (held === null) {
      report.inserted += 1;
      inserts.push(change);
    } else if (isNews(change, held)) {
      report.updated += 1;
      placed.push({ kind: "update", post: change, held, id: held.id });
    } else {
      report.unchanged += 1;
    }
  }
  return numbered(segments, inserts, placed);
}

/** Numbers new posts, and stored ones that make room for them. */
function numbered(
  segments: Segments,
  inserts: readonly PreparedPost[],
  placed: readonly AssignedChange[],
): AssignedChange[] {
  if (inserts.length === 0) return [...placed];
  if (areFree(segments, inserts)) {
    return [
      ...placed,
      ...inserts.map((post): AssignedChange => ({ kind: "insert", post, id: post.id })),
    ];
  }
  const slots = numberSlots(storedIds(segments));
  // X posts keep their own numbers, so they choose first.
  for (const post of inserts) if (post.hash === null) slots.insertFixed(post, post.id);
  for (const post of inserts) {
    if (post.hash !== null) slots.insert(post, post.id, uriHash(post.uri));
  }
  const moves = slots.moves().map(({ from, to }): AssignedChange & { kind: "renumber" } => {
    const uri = writerOf(segments, from).findById(from)?.uri ?? "";
    return { kind: "renumber", id: from, to, hash: segments.hashOf(uri) };
  });
  const moved = new Map(moves.map(({ id, to }) => [id, to]));
  return [
    ...moves,
    ...placed.map((change) => movedTo(change, moved.get(change.id) ?? change.id)),
    ...inserts.map((post): AssignedChange => ({ kind: "insert", post, id: slots.idOf(post) })),
  ];
}

/** Whether all posts have numbers of their own, none of which is taken. */
const areFree = (segments: Segments, posts: readonly PreparedPost[]): boolean =>
  haveDistinctIds(posts) && posts.every(({ id }) => !writerOf(segments, id).holds(id));

const movedTo = (change: AssignedChange, id: bigint): AssignedChange =>
  change.kind === "update" ? { ...change, id, held: { ...change.held, id } } : { ...change, id };

const writerOf = (segments: Segments, id: bigint): SegmentWriter =>
  segments.writerOf(owner(segments.entries, id));

/** A millisecond lies in one segment. */
const storedIds = (segments: Segments): StoredIds => ({
  lowest: (from, to) => writerOf(segments, from).lowestId(from, to),
  highest: (from, to) => writerOf(segments, from).highestId(from, to),
  hashOf: (id) => {
    const uri = writerOf(segments, id).findById(id)?.uri ?? "";
    return uri === "" || xIdOf(uri) !== null ? null : uriHash(uri);
  },
  isOrdered: (id) => owner(segments.entries, id).numbering === presentNumbering,
});

/** In the newest segment, which owns the last ID. */
const keptOut = ({ uri, revision }: { uri: string; revision: string }): AssignedChange => ({
  kind: "keep-out",
  id: lastId,
  uri,
  revision,
});

/** What a post is looked for by: `id` is its own number, or the one that it would get; null where neither is known. */
export type PostKey = {
  platform: Platform;
  uri: string;
  hash: bigint | null;
  id: bigint | null;
};

/** The segments of one platform, lowest IDs first, as they are looked into. */
export type LookupSegments<Found> = {
  entries: readonly SegmentEntry[];
  writerOf(entry: SegmentEntry): PostLookup<Found>;
  strayed: Pick<MisplacedPosts, "idsOf">;
};

/**
 * Where a post lies: an X post under its own number, any other near the time that its uri tells or where it strayed to. Where
 * the uri tells no time, in the segment of the time it has, else in any other.
 */
export function findStored<Found>(segments: LookupSegments<Found>, wanted: PostKey): Found | null {
  const { entries, writerOf, strayed } = segments;
  const { platform, uri, hash, id } = wanted;
  if (hash === null) {
    if (id === null) return null;
    const writer = writerOf(owner(entries, id));
    const found = writer.holds(id) ? writer.findById(id) : null;
    return found !== null && hasUri(found, uri) ? found : null;
  }
  for (const entry of likelyEntries(entries, wanted)) {
    const found = writerOf(entry).findByUri(hash, uri);
    if (found !== null) return found;
  }
  for (const far of strayed.idsOf(platform, hash)) {
    const found = writerOf(owner(entries, far)).findByUri(hash, uri);
    if (found !== null) return found;
  }
  return null;
}

/** What was looked up by a number or a hash of 64 bits is the post, though its row is damaged. */
const hasUri = (found: { uri: string }, uri: string): boolean =>
  found.uri === uri || found.uri === "";

/** The segments in which a post can lie that did not stray, the likeliest first. */
function likelyEntries(
  entries: readonly SegmentEntry[],
  { platform, uri, id }: PostKey,
): SegmentEntry[] {
  const toldMs = uriTimeMs(platform, uri);
  const first = id === null ? null : owner(entries, id);
  if (toldMs === null) {
    const newest = first ?? entries.at(-1);
    const rest = entries.filter((entry) => entry !== newest).reverse();
    return newest === undefined ? rest : [newest, ...rest];
  }
  const { fromMs, toMs } = nearTime(toldMs);
  const [low, high] = [lowestId(fromMs), lowestId(toMs + 1)];
  const near = entries.filter((entry) => entry.low <= high && entry.high >= low && entry !== first);
  return first === null ? near.reverse() : [first, ...near.reverse()];
}

/** Whether a version says more than the one held: a later revision, or different content where there are no revisions. */
function isNews(post: PreparedPost, held: StoredPost): boolean {
  if (!held.isIntact) return true;
  if (post.imported && !held.imported) return false;
  if (post.revision !== "" && held.revision !== "") return post.revision > held.revision;
  return (
    !saysTheSame(post.record, held.record) ||
    (post.timeMs !== held.timeMs && !post.timeIsCapped) ||
    !sameCounts(newestCounts(post.counts, held.counts), held.counts)
  );
}
