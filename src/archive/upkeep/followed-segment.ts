import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { readSetting } from "../catalog.ts";
import type { StoredRow } from "../segments/intact-rows.ts";
import type { ArrivedTogether } from "../segments/read-arrivals.ts";
import { isStrayed } from "../strayed.ts";
import type { UpkeepContext } from "./context.ts";
import type { SegmentCopy } from "./segment-copy.ts";

/** One of the files that come into a segment's place; it begins with the ID `low`. */
export type Part = { sequence: number; low: bigint; copy: SegmentCopy };

/** A segment and the copies that follow it. */
export type FollowedSegment = {
  platform: Platform;
  /** Whether the segment may be damaged, and what can be read of it is enough. */
  salvages: boolean;
  old: DatabaseSync;
  /** Lowest IDs first. */
  parts: readonly Part[];
  /** The copy that an ID belongs to. */
  copyOf(id: bigint): SegmentCopy;
  /** Copies a row, unless it is not kept. */
  copyRow(row: StoredRow): { uri: string; isNative: boolean } | null;
  /** Makes a post in its copy what it is in the segment. */
  followPost(id: bigint): void;
  hashOf(uri: string): bigint;
  /** Posts that lie far from the time that their uri tells. */
  strayed: { hash: bigint; id: bigint }[];
  /** Those of them that were not kept, and the hashes of their uris. */
  dropped: Map<bigint, bigint>;
  /** Posts that came under another ID, or whose arrival is yet to be read. */
  moved: Set<bigint>;
  /** IDs that other posts had in the copies. */
  vacated: Set<bigint>;
  /** Posts whose arrival was read after the rest was copied. */
  arrived: Set<bigint>;
  /** Every arrival up to this number has been copied. */
  arrival: number;
  /** The number of the arrival that was committed last. */
  lastArrival(): number;
};

export function follow(
  { catalog, hashOf }: Pick<UpkeepContext, "catalog" | "hashOf">,
  platform: Platform,
  old: DatabaseSync,
  parts: readonly Part[],
  { keeps, salvages = false }: { keeps: ((record: string) => boolean) | null; salvages?: boolean },
): FollowedSegment {
  const find = old.prepare("SELECT * FROM post WHERE id = ?");
  find.setReadBigInts(true);
  const isHidden = old.prepare("SELECT 1 FROM hidden WHERE id = ?");

  function copyOf(id: bigint): SegmentCopy {
    const part = parts.findLast(({ low }) => low <= id);
    if (part === undefined) throw new Error(`no copy owns ID ${id}`);
    return part.copy;
  }

  function copyRow(row: StoredRow): { uri: string; isNative: boolean } | null {
    const { id } = row;
    if (keeps !== null && !keeps(row.record)) {
      const uri = uriOf(row);
      if (isStrayed(platform, uri, id)) followed.dropped.set(id, hashOf(uri));
      return null;
    }
    const added = copyOf(id).add(row);
    if (isStrayed(platform, added.uri, id)) {
      followed.strayed.push({ hash: hashOf(added.uri), id });
    }
    return added;
  }

  const uriOf = ({ id, record }: StoredRow): string =>
    recordUri({ id, platform, timeMs: 0, counts: noCounts, record });

  function followPost(id: bigint): void {
    const copy = copyOf(id);
    const before = copy.remove(id, hashOf);
    followed.dropped.delete(id);
    const row = find.get(id) as StoredRow | undefined;
    const added = row === undefined ? null : copyRow(row);
    if (platform === "x" && before !== null && before !== added?.uri) followed.vacated.add(id);
    if (added === null) return;
    if (before === null) copy.arrivals.makeRoom(id);
    if (!added.isNative) copy.addUri(hashOf(added.uri), id);
    const isNamed = added.isNative || before === added.uri;
    if (platform === "x" && !isNamed) followed.moved.add(id);
    if (isHidden.get(id) !== undefined) copy.hide(id);
  }

  const lastArrival = (): number => Number(readSetting(catalog, "arrival"));
  const followed: FollowedSegment = {
    platform,
    salvages,
    old,
    parts,
    copyOf,
    copyRow,
    followPost,
    hashOf,
    strayed: [],
    dropped: new Map(),
    moved: new Set(),
    vacated: new Set(),
    arrived: new Set(),
    arrival: lastArrival(),
    lastArrival,
  };
  return followed;
}

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

/** Posts that arrived together arrive in their copies so. */
export function putArrivals(
  { copyOf }: Pick<FollowedSegment, "copyOf">,
  { number, ids }: ArrivedTogether,
): void {
  for (const [copy, own] of Map.groupBy(ids, copyOf)) copy.arrivals.put(number, own);
}
