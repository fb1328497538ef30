import type { DatabaseSync } from "node:sqlite";
import { lastId, type TimeSkew } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { CatalogAccounts } from "../catalog/accounts.ts";
import { moveToOrphaned } from "../catalog/archive-files.ts";
import {
  addSegmentEntry,
  readSegments,
  readUriKey,
  type SegmentEntry,
  segmentPath,
  setLastWrittenInCommit,
} from "../catalog/catalog.ts";
import type { CommitNumber } from "../catalog/commit-number.ts";
import type { MisplacedPosts } from "../catalog/misplaced.ts";
import type { CatalogLabels, PendingModeration } from "../catalog/moderation.ts";
import { createSegmentFile, requireSegmentFile } from "../segments/segment-file.ts";
import { openSegmentWriter, type SegmentWriter } from "../segments/segment-writer.ts";
import type { Aliases } from "./aliases.ts";
import type { CountChanges } from "./count-changes.ts";

/** Requires the catalog's write lock. */
export type WriteContext = {
  catalog: DatabaseSync;
  writers: SegmentWriters;
  accounts: CatalogAccounts;
  labels: CatalogLabels;
  counts: CountChanges;
  aliases: Aliases;
  misplacedPosts: MisplacedPosts;
  pendingModeration: PendingModeration;
  commit: CommitNumber;
  uriKey: string;
  hashUri(uri: string): bigint;
};

export function inSegment(
  { catalog, commit }: Pick<WriteContext, "catalog" | "commit">,
  writer: SegmentWriter,
  entry: SegmentEntry,
  work: () => void,
): void {
  writer.begin(entry.rewriting, commit.current());
  try {
    work();
    writer.commit();
  } catch (error) {
    writer.rollback();
    throw error;
  }
  setLastWrittenInCommit(catalog, entry, commit.current());
}

const maxOpenWriters = 64;
const fillingCacheKib = 32_000;
const quietCacheKib = 2_000;

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

/** Opened on demand, in an LRU cache. Writing requires a catalog transaction. */
type SegmentWriters = {
  entries(platform: Platform): SegmentEntry[];
  openWriter(entry: SegmentEntry): SegmentWriter;
  add(entry: SegmentKey & { low: bigint; skew: TimeSkew }): void;
  close(entry: SegmentKey): void;
  endReading(): void;
  closeRemoved(): void;
  closeAll(): void;
};

export function createSegmentWriters(
  folder: string,
  catalog: DatabaseSync,
  commit: CommitNumber,
): SegmentWriters {
  const writers = new Map<string, SegmentWriter>();

  let lastUsed: { platform: Platform; sequence: number; writer: SegmentWriter } | null = null;

  function open(entry: SegmentKey, cacheKib: number): SegmentWriter {
    if (lastUsed?.sequence === entry.sequence && lastUsed.platform === entry.platform)
      return lastUsed.writer;
    const path = segmentPath(folder, entry);
    let writer = writers.get(path);
    writers.delete(path);
    if (writer === undefined) {
      requireSegmentFile(path);
      writer = openSegmentWriter(path, entry.platform, cacheKib);
    }
    writers.set(path, writer);
    const [oldest] = writers.keys();
    if (writers.size > maxOpenWriters && oldest !== undefined) closePath(oldest);
    lastUsed = { platform: entry.platform, sequence: entry.sequence, writer };
    return writer;
  }

  function closePath(path: string): void {
    lastUsed = null;
    writers.get(path)?.close();
    writers.delete(path);
  }

  const entries = (platform: Platform): SegmentEntry[] =>
    readSegments(catalog).filter((entry) => entry.platform === platform);

  return {
    entries,
    openWriter: (entry) => open(entry, entry.high === lastId ? fillingCacheKib : quietCacheKib),
    add: (entry) => {
      // A file without an entry was left by a crash.
      const path = segmentPath(folder, entry);
      closePath(path);
      moveToOrphaned(folder, entry);
      const { platform, sequence, low } = entry;
      const number = commit.current();
      createSegmentFile(path, {
        uriKey: readUriKey(catalog),
        platform,
        sequence,
        low,
        createdInCommit: number,
        lastWrittenInCommit: number,
        replaces: null,
      });
      addSegmentEntry(catalog, { ...entry, lastWrittenInCommit: number });
      open(entry, fillingCacheKib);
    },
    close: (entry) => closePath(segmentPath(folder, entry)),
    endReading: () => {
      for (const writer of writers.values()) writer.endReading();
    },
    closeRemoved: () => {
      const listedPaths = new Set(readSegments(catalog).map((entry) => segmentPath(folder, entry)));
      for (const path of writers.keys()) if (!listedPaths.has(path)) closePath(path);
    },
    closeAll: () => {
      for (const path of [...writers.keys()]) closePath(path);
    },
  };
}
