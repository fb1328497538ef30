import type { DatabaseSync } from "node:sqlite";
import type { Platform, Post } from "../../posts/post.ts";
import { decodeRecord } from "../../posts/record.ts";
import { openForReading } from "../database.ts";
import { createIdList, type IdList } from "../segments/id-list.ts";
import type { StoredRow } from "../segments/intact-rows.ts";

const cacheKib = 8_000;

/** Opens the file and begins a snapshot; null if SQLite cannot open it. */
export function openDamaged(path: string): DatabaseSync | null {
  let source: DatabaseSync | null = null;
  try {
    source = openForReading(path, cacheKib);
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    return source;
  } catch {
    source?.close();
    return null;
  }
}

export function decodedRow({ id, time_ms, record }: StoredRow, platform: Platform): Post | null {
  const counts = { likes: null, reposts: null, replies: null, quotes: null };
  try {
    return decodeRecord({ id, platform, timeMs: Number(time_ms), counts, record });
  } catch {
    return null;
  }
}

export function hiddenIdsIn(source: DatabaseSync | null): IdList {
  const hiddenIds = createIdList();
  try {
    const selectHidden = source?.prepare("SELECT id FROM hidden");
    selectHidden?.setReadBigInts(true);
    for (const { id } of selectHidden?.iterate() ?? []) hiddenIds.add(id as bigint);
  } catch {
    // The readable part suffices.
  }
  return hiddenIds;
}

export function numericSetting(source: DatabaseSync, name: string): number | null {
  try {
    const value = source.prepare("SELECT value FROM setting WHERE name = ?").get(name)?.value;
    return typeof value === "number" && value >= 0 ? value : null;
  } catch {
    return null;
  }
}

export const uriEntryFinder =
  (source: DatabaseSync | null) =>
  (hash: bigint, id: bigint): boolean => {
    try {
      const selectUri = source?.prepare("SELECT 1 FROM uri WHERE hash = ? AND id = ?");
      return selectUri?.get(hash, id) !== undefined;
    } catch {
      return false;
    }
  };
