import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import type { HeldLookup } from "../placement.ts";

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

/** Looks up the posts of a segment that is open for reading, hidden ones too. */
export function segmentLookup(
  database: DatabaseSync,
  platform: Platform,
): HeldLookup<{ id: bigint }> {
  const record = database.prepare("SELECT record FROM post WHERE id = ?");
  const idsOfHash = database.prepare("SELECT id FROM uri WHERE hash = ?");
  idsOfHash.setReadBigInts(true);

  function findById(id: bigint): { id: bigint; uri: string } | null {
    const row = record.get(id);
    if (row === undefined) return null;
    const stored = { id, platform, timeMs: 0, counts: noCounts, record: String(row.record) };
    return { id, uri: recordUri(stored) };
  }

  function findByUri(hash: bigint, uri: string): { id: bigint } | null {
    for (const { id } of idsOfHash.all(hash)) {
      const found = findById(id as bigint);
      if (found?.uri === uri) return found;
    }
    return null;
  }

  return { holds: (id) => record.get(id) !== undefined, findById, findByUri };
}
