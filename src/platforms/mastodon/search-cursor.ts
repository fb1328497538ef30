import { EarshotError } from "../../lib/errors.ts";
import type { FeedPage, FeedPosition } from "./feed-page.ts";
import { readPaging, writePaging } from "./link-paging.ts";
import type { Feed } from "./search-feeds.ts";

/** Null at the end of the feed. */
export type FeedPositions = readonly (FeedPosition | null)[];

export const firstFeedPositions = (feeds: readonly Feed[]): FeedPositions =>
  feeds.map(() => ({ paging: null, returned: 0 }));

/**
 * Returns statuses down to the time below which another feed may have newer ones. That feed
 * continues next.
 */
export function mergeFeeds(pages: readonly (FeedPage | null)[]): {
  statuses: readonly unknown[];
  next: FeedPositions;
} {
  const oldestTimes = pages.flatMap((page) =>
    page === null || page.next === null ? [] : [page.oldestMs],
  );
  const horizonMs = Math.max(Number.NEGATIVE_INFINITY, ...oldestTimes);
  const merged = pages.map((page) => page?.statuses.filter(({ ms }) => ms >= horizonMs) ?? []);
  const statuses = merged
    .flat()
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ status }) => status);
  return {
    statuses,
    next: pages.map((page, index) => positionAfter(page, merged[index]?.length ?? 0)),
  };
}

function positionAfter(page: FeedPage | null, count: number): FeedPosition | null {
  if (page === null) return null;
  const { position, statuses, next } = page;
  if (count < statuses.length)
    return { paging: position.paging, returned: position.returned + count };
  return next === null ? null : { paging: next, returned: 0 };
}

export function writeFeedPositions(positions: FeedPositions): string | null {
  if (positions.every((position) => position === null)) return null;
  return positions
    .map((position) =>
      position === null ? "-" : `${position.returned}?${writePaging(position.paging ?? {})}`,
    )
    .join(" ");
}

export function readFeedPositions(cursor: string, feeds: readonly Feed[]): FeedPositions {
  const words = cursor.slice(0, 4_000).split(" ");
  if (words.length !== feeds.length) throw invalidCursor();
  return words.map((part) => {
    if (part === "-") return null;
    const [, merged, parameters = ""] = /^(\d{1,5})\?(.*)$/.exec(part) ?? [];
    if (merged === undefined) throw invalidCursor();
    const paging = parameters === "" ? null : readPaging(parameters);
    if (parameters !== "" && paging === null) throw invalidCursor();
    return { paging, returned: Number(merged) };
  });
}

const invalidCursor = (): EarshotError =>
  new EarshotError("cursor_invalid", "the cursor belongs to another search", {
    status: 400,
    hint: "omit the cursor",
  });
