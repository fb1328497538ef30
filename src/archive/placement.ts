import { EarshotError } from "../lib/errors.ts";
import { lastId, lowestId, nextInMillisecond } from "../posts/ids.ts";
import type { Platform } from "../posts/post.ts";
import { saysTheSame } from "../posts/record.ts";
import type { WriteReport } from "./archive.ts";
import type { SegmentEntry } from "./catalog.ts";
import type { PreparedChange, PreparedPost } from "./prepare.ts";
import {
  type HeldPost,
  newestCounts,
  type SegmentWriter,
  sameCounts,
} from "./segments/segment-writer.ts";
import { nearTime, type Strayed, uriTimeMs } from "./strayed.ts";
import { forgottenRevision, type Tombstones } from "./tombstones.ts";

/** A change that knows which ID, and so which segment, it concerns. */
export type PlacedChange =
  | { kind: "insert"; post: PreparedPost; id: bigint }
  | { kind: "update"; post: PreparedPost; held: HeldPost; id: bigint }
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
  /** Makes room for an X post under its own number. */
  | { kind: "renumber"; id: bigint; to: bigint; hash: bigint };

export type Segments = {
  /** Lowest IDs first, all of one platform. */
  entries: readonly SegmentEntry[];
  writerOf(entry: SegmentEntry): SegmentWriter;
  hashOf(uri: string): bigint;
  strayed: Strayed;
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
export function placeChanges(
  changes: readonly PreparedChange[],
  segments: Segments,
  tombstones: Tombstones,
  report: WriteReport,
): PlacedChange[] {
  const taken = new Set<bigint>();
  /** Where posts that make room lie from then on. */
  const moved = new Map<bigint, bigint>();
  const placed: PlacedChange[] = [];
  // X posts keep their own numbers, so they choose first.
  for (const change of changes.toSorted((a, b) => Number(isNumbered(b)) - Number(isNumbered(a)))) {
    const found = findHeld(segments, change);
    const held = found && { ...found, id: moved.get(found.id) ?? found.id };
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
      const made = insertion(segments, change, taken);
      for (const each of made) if (each.kind === "renumber") moved.set(each.id, each.to);
      placed.push(...made);
    } else if (isNews(change, held)) {
      report.updated += 1;
      placed.push({ kind: "update", post: change, held, id: held.id });
    } else {
      report.unchanged += 1;
    }
  }
  return placed;
}

/** In the newest segment, which owns the last ID. */
const keptOut = ({ uri, revision }: { uri: string; revision: string }): PlacedChange => ({
  kind: "keep-out",
  id: lastId,
  uri,
  revision,
});

const isNumbered = (change: PreparedChange): boolean => change.hash === null;

/** What a post is looked for by: `id` is its own number, or the one that it would get; null where neither is known. */
export type WantedPost = {
  platform: Platform;
  uri: string;
  hash: bigint | null;
  id: bigint | null;
};

/** How the posts of one segment are looked up. */
export type HeldLookup<Found> = {
  holds(id: bigint): boolean;
  /** `uri` is empty where the row is damaged. */
  findById(id: bigint): (Found & { uri: string }) | null;
  findByUri(hash: bigint, uri: string): Found | null;
};

/** The segments of one platform, lowest IDs first, as they are looked into. */
export type LookedInto<Found> = {
  entries: readonly SegmentEntry[];
  writerOf(entry: SegmentEntry): HeldLookup<Found>;
  strayed: Pick<Strayed, "idsOf">;
};

/**
 * Where a post lies: an X post under its own number, any other near the time that its uri tells or where it strayed to. Where
 * the uri tells no time, in the segment of the time it has, else in any other.
 */
export function findHeld<Found>(segments: LookedInto<Found>, wanted: WantedPost): Found | null {
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
    const found = writerOf(owner(entries, far)).findById(far);
    if (found !== null && hasUri(found, uri)) return found;
  }
  return null;
}

/** What was looked up by a number or a hash of 64 bits is the post, though its row is damaged. */
const hasUri = (found: { uri: string }, uri: string): boolean =>
  found.uri === uri || found.uri === "";

/** The segments in which a post can lie that did not stray, the likeliest first. */
function likelyEntries(
  entries: readonly SegmentEntry[],
  { platform, uri, id }: WantedPost,
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

function insertion(segments: Segments, post: PreparedPost, taken: Set<bigint>): PlacedChange[] {
  if (post.hash !== null) {
    const id = freeId(segments, post.id, taken);
    return [{ kind: "insert", post, id }];
  }
  taken.add(post.id);
  const insert: PlacedChange = { kind: "insert", post, id: post.id };
  const writer = segments.writerOf(owner(segments.entries, post.id));
  const inTheWay = writer.holds(post.id) ? writer.findById(post.id) : null;
  if (inTheWay === null) return [insert];
  const to = freeId(segments, post.id, taken);
  return [{ kind: "renumber", id: post.id, to, hash: segments.hashOf(inTheWay.uri) }, insert];
}

/** The numbers that a millisecond has for its posts. */
const numbersOfMillisecond = 2 ** 22;

/** The first ID from `wanted` on, within its millisecond, that no post holds or is about to get. */
function freeId({ entries, writerOf }: Segments, wanted: bigint, taken: Set<bigint>): bigint {
  let id = wanted;
  for (let tries = 0; tries < numbersOfMillisecond; tries++) {
    if (!taken.has(id) && !writerOf(owner(entries, id)).holds(id)) {
      taken.add(id);
      return id;
    }
    id = nextInMillisecond(id);
  }
  throw new EarshotError(
    "millisecond_full",
    "a millisecond holds as many posts as it has numbers",
    {
      hint: "posts from before November 2010 without a number of their own share one",
    },
  );
}

/** Whether a version says more than the one held: a later revision, or different content where there are no revisions. */
function isNews(post: PreparedPost, held: HeldPost): boolean {
  if (!held.isIntact) return true;
  if (post.imported && !held.imported) return false;
  if (post.revision !== "" && held.revision !== "") return post.revision > held.revision;
  return (
    !saysTheSame(post.record, held.record) ||
    (post.timeMs !== held.timeMs && !post.timeIsCapped) ||
    !sameCounts(newestCounts(post.counts, held.counts), held.counts)
  );
}
