import type { DatabaseSync } from "node:sqlite";
import { type ChunkSet, members } from "../sealed/chunk-set.ts";
import { isDamage } from "../sealed/damage.ts";
import { postsPerChunk } from "../sealed/format.ts";
import type { SealedPart, SealedView } from "./sealed-part.ts";

const found = new Uint16Array(1);

/**
 * Whether an index contains a visible post, whose row must then exist. True if unreadable. Requires
 * a snapshot.
 */
export function indexedPostChecker(
  database: DatabaseSync,
  sealed: SealedPart | null,
): (id: bigint) => boolean {
  const selectHidden = database.prepare("SELECT 1 FROM hidden WHERE id = ?");
  const selectInDelta = database.prepare("SELECT 1 FROM term_docsize WHERE id = ?");

  function isIndexed(id: bigint): boolean {
    if (selectHidden.get(id) !== undefined) return false;
    if (selectInDelta.get(id) !== undefined) return true;
    if (sealed === null) return false;
    return sealed.read(
      (view) => isSealed(view, id),
      () => true,
    );
  }

  return (id) => {
    try {
      return isIndexed(id);
    } catch (error) {
      if (isDamage(error)) return true;
      throw error;
    }
  };
}

function isSealed({ index: { numbers }, deletions }: SealedView, id: bigint): boolean {
  const number = numbers.findNumber(id);
  if (number === null) return false;
  const replaced = deletions.replaced(Math.floor(number / postsPerChunk));
  return !isInChunks(replaced, number % postsPerChunk);
}

export const isInChunks = (set: ChunkSet | null, post: number): boolean =>
  set !== null && members(set, post, post + 1, found, 1) > 0;
