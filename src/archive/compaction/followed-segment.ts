import type { DatabaseSync } from "node:sqlite";
import { firstInMillisecond, lastInMillisecond } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { currentNumbering, readSetting, type SegmentEntry } from "../catalog/catalog.ts";
import { isMisplaced } from "../catalog/misplaced.ts";
import type { StoredRow } from "../segments/intact-rows.ts";
import type { IngestBatch } from "../segments/read-ingest-order.ts";
import type { CompactionContext } from "./context.ts";
import { renumberingOf, unchangedIds } from "./renumbering.ts";
import type { SegmentCopy } from "./segment-copy.ts";

export type Part = { sequence: number; low: bigint; copy: SegmentCopy };

export type FollowedSegment = {
  platform: Platform;
  salvages: boolean;
  old: DatabaseSync;
  /** Lowest IDs first. */
  parts: readonly Part[];
  copyOf(id: bigint): SegmentCopy;
  numbering: number;
  /** Null for a post written while its millisecond was being copied. */
  idInCopy(id: bigint): bigint | null;
  copyRow(row: StoredRow): CopiedRow | null;
  followPosts(ids: readonly bigint[]): void;
  hashOf(uri: string): bigint;
  misplaced: { hash: bigint; id: bigint }[];
  dropped: Map<bigint, bigint>;
  /** ID in the segment by ID in the copies, of posts that moved or whose ingest number is yet to be copied. */
  moved: Map<bigint, bigint>;
  vacated: Set<bigint>;
  arrived: Set<bigint>;
  ingestNumber: number;
  lastIngestNumber(): number;
};

type CopiedRow = { id: bigint; uri: string; isNative: boolean };

export function follow(
  { catalog, hashOf }: Pick<CompactionContext, "catalog" | "hashOf">,
  { platform, numbering }: Pick<SegmentEntry, "platform" | "numbering">,
  old: DatabaseSync,
  parts: readonly Part[],
  { keeps, salvages = false, renumbers = false }: FollowOptions,
): FollowedSegment {
  const isRenumbered = renumbers && numbering !== currentNumbering;
  const renumbering = isRenumbered ? renumberingOf(old, platform) : unchangedIds;
  const { idInCopy } = renumbering;
  const within = old.prepare("SELECT * FROM post WHERE id BETWEEN ? AND ?");
  within.setReadBigInts(true);
  const find = old.prepare("SELECT * FROM post WHERE id = ?");
  find.setReadBigInts(true);
  const isHidden = old.prepare("SELECT 1 FROM hidden WHERE id = ?");

  function copyOf(id: bigint): SegmentCopy {
    const part = parts.findLast(({ low }) => low <= id);
    if (part === undefined) throw new Error(`no part owns ID ${id}`);
    return part.copy;
  }

  function copyRow(row: StoredRow): CopiedRow | null {
    const { id } = row;
    if (keeps !== null && !keeps(row.record)) {
      const uri = uriOf(row);
      if (isMisplaced(platform, uri, id)) followed.dropped.set(id, hashOf(uri));
      return null;
    }
    const to = idInCopy(id);
    if (to === null) return null;
    const added = copyOf(id).add(row, to);
    if (isMisplaced(platform, added.uri, id)) {
      followed.misplaced.push({ hash: hashOf(added.uri), id });
    }
    return { ...added, id: to };
  }

  const uriOf = ({ id, record }: StoredRow): string =>
    recordUri({ id, platform, timeMs: 0, counts: noCounts, record });

  function followPost(id: bigint): void {
    const copy = copyOf(id);
    const before = copy.remove(id, hashOf);
    followed.dropped.delete(id);
    const row = find.get(id) as StoredRow | undefined;
    const added = row === undefined ? null : copyRow(row);
    if (before !== null && before !== added?.uri) followed.vacated.add(id);
    if (added === null) return;
    if (before === null) copy.ingestOrder.removeFromRun(id);
    if (!added.isNative) copy.addUri(hashOf(added.uri), id);
    const isNamed = added.isNative || before === added.uri;
    if (!isNamed) followed.moved.set(id, id);
    if (isHidden.get(id) !== undefined) copy.hide(id);
  }

  function followMillisecond(low: bigint): void {
    const copy = copyOf(low);
    const high = lastInMillisecond(low);
    for (const id of copy.idsWithin(low, high)) {
      copy.remove(id, hashOf);
      copy.ingestOrder.setNumbers(id, []);
      followed.vacated.add(id);
    }
    renumbering.forget();
    for (const found of within.all(low, high)) {
      const row = found as StoredRow;
      followed.dropped.delete(row.id);
      const added = copyRow(row);
      if (added === null) continue;
      copy.ingestOrder.removeFromRun(added.id);
      if (!added.isNative) copy.addUri(hashOf(added.uri), added.id);
      followed.moved.set(added.id, row.id);
      followed.vacated.add(added.id);
      if (isHidden.get(row.id) !== undefined) copy.hide(added.id);
    }
  }

  function followPosts(ids: readonly bigint[]): void {
    if (isRenumbered) new Set(ids.map(firstInMillisecond)).forEach(followMillisecond);
    else ids.forEach(followPost);
  }

  const lastIngestNumber = (): number => Number(readSetting(catalog, "ingest_number"));
  const followed: FollowedSegment = {
    platform,
    salvages,
    old,
    parts,
    copyOf,
    numbering: isRenumbered ? currentNumbering : numbering,
    idInCopy,
    copyRow,
    followPosts,
    hashOf,
    misplaced: [],
    dropped: new Map(),
    moved: new Map(),
    vacated: new Set(),
    arrived: new Set(),
    ingestNumber: lastIngestNumber(),
    lastIngestNumber,
  };
  return followed;
}

type FollowOptions = {
  keeps: ((record: string) => boolean) | null;
  salvages?: boolean;
  renumbers?: boolean;
};

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

export function putIngestOrder(
  { copyOf, idInCopy }: Pick<FollowedSegment, "copyOf" | "idInCopy">,
  { number, ids }: IngestBatch,
): void {
  for (const [copy, own] of Map.groupBy(idsInCopy(ids, idInCopy), copyOf)) {
    copy.ingestOrder.put(number, own);
  }
}

export function idsInCopy(
  ids: readonly bigint[],
  idInCopy: FollowedSegment["idInCopy"],
): readonly bigint[] {
  return ids
    .map(idInCopy)
    .filter((id) => id !== null)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
