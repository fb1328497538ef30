import type { Position } from "../../archive/archive.ts";
import { comparePositions } from "../../archive/read/search.ts";
import { type AnswerItem, isFetched } from "../../platforms/source.ts";
import { lowestId, uriHash } from "../../posts/ids.ts";
import { platforms } from "../../posts/post.ts";

export type MergedItems = { items: readonly AnswerItem[]; next: Position | null };

export type MergedPart = {
  items: readonly AnswerItem[];
  moreAfter: Position | null;
};

export const positionBefore = (ms: number): Position => ({
  id: lowestId(ms),
  platform: platforms.at(-1) ?? "x",
});

/**
 * Drops duplicates. The page ends where the first of the sources stopped reading; `next` continues
 * there, so that nothing is skipped.
 */
export function merge(parts: readonly MergedPart[], limit: number): MergedItems {
  const ends = parts.flatMap(({ moreAfter }) => (moreAfter === null ? [] : [moreAfter]));
  const end = ends.toSorted(comparePositions)[0] ?? null;
  const itemsByPosition = new Map<string, AnswerItem>();
  for (const { items } of parts) {
    for (const item of items) {
      const key = `${item.platform} ${item.id}`;
      if (!itemsByPosition.has(key)) itemsByPosition.set(key, item);
    }
  }
  const sortedItems = [...itemsByPosition.values()].sort((a, b) =>
    comparePositions(itemPosition(a), itemPosition(b)),
  );
  const completeItems = sortedItems.filter(
    (item) => end === null || comparePositions(itemPosition(item), end) <= 0,
  );
  const items = completeItems.slice(0, limit);
  const lastItem = items.at(-1);
  const isFull = items.length === limit;
  if (isFull && lastItem !== undefined) {
    const hasMore = sortedItems.length > limit || end !== null;
    return { items, next: hasMore ? positionAfter(lastItem, ends) : null };
  }
  return { items, next: end };
}

/** A source's own position includes the order within its millisecond. */
function positionAfter(item: AnswerItem, ends: readonly Position[]): Position {
  const position = itemPosition(item);
  if (isFetched(item)) {
    if (item.uri === null || item.platform === "x") return position;
    return { ...position, uriHash: uriHash(item.uri) };
  }
  return ends.find((end) => comparePositions(end, position) === 0) ?? position;
}

const itemPosition = ({ platform, id }: AnswerItem): Position => ({ platform, id: id ?? 0n });
