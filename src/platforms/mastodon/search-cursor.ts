import { EarshotError } from "../../lib/errors.ts";
import type { FeedPage, FeedPosition } from "./feed-page.ts";
import { readPaging, writePaging } from "./link-paging.ts";
import type { Feed } from "./search-feeds.ts";

/** Null at the end of the feed. */
export type FeedPositions = readonly (FeedPosition | null)[];

export const firstFeedPositions = (feeds: readonly Feed[]): FeedPositions =>
  feeds.map(() => ({ paging: null, returnedCount: 0 }));

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
  const mergedStatuses = pages.map(
    (page) => page?.statuses.filter(({ timeMs }) => timeMs >= horizonMs) ?? [],
  );
  const statuses = mergedStatuses
    .flat()
    .toSorted((a, b) => b.timeMs - a.timeMs)
    .map(({ status }) => status);
  return {
    statuses,
    next: pages.map((page, index) => positionAfter(page, mergedStatuses[index]?.length ?? 0)),
  };
}

function positionAfter(page: FeedPage | null, count: number): FeedPosition | null {
  if (page === null) return null;
  const { position, statuses, next } = page;
  if (count < statuses.length)
    return { paging: position.paging, returnedCount: position.returnedCount + count };
  return next === null ? null : { paging: next, returnedCount: 0 };
}

export function writeFeedPositions(positions: FeedPositions): string | null {
  if (positions.every((position) => position === null)) return null;
  return positions
    .map((position) =>
      position === null ? "-" : `${position.returnedCount}?${writePaging(position.paging ?? {})}`,
    )
    .join(" ");
}

export function readFeedPositions(cursor: string, feeds: readonly Feed[]): FeedPositions {
  const words = cursor.slice(0, 4_000).split(" ");
  if (words.length !== feeds.length) throw invalidCursor();
  return words.map((word) => {
    if (word === "-") return null;
    const [, returnedText, parameters = ""] = /^(\d{1,5})\?(.*)$/.exec(word) ?? [];
    if (returnedText === undefined) throw invalidCursor();
    const paging = parameters === "" ? null : readPaging(parameters);
    if (parameters !== "" && paging === null) throw invalidCursor();
    return { paging, returnedCount: Number(returnedText) };
  });
}

const invalidCursor = (): EarshotError =>
  new EarshotError("cursor_invalid", "the cursor belongs to another search", {
    status: 400,
    hint: "omit the cursor",
  });
