import { list, string } from "../fields.ts";

type Position = {
  cursor: string | null;
  isAtEnd: boolean;
  /** Items of the page at `cursor` were returned down to `downToMs`. */
  isStarted: boolean;
};

export type MergePositions = { downToMs: number | null; positions: readonly Position[] };

export type AlternativePage<Item> = {
  items: readonly { timeMs: number; key: string; item: Item }[];
  cursor: string | null;
};

export const firstMergePositions = (alternatives: number): MergePositions => ({
  downToMs: null,
  positions: Array.from({ length: alternatives }, () => ({
    cursor: null,
    isAtEnd: false,
    isStarted: false,
  })),
});

/**
 * Merges newest first, without duplicates. Items older than the end of another alternative's page
 * wait for its next page. A null page is exhausted.
 */
export function mergeNewest<Item>(
  previousPositions: MergePositions,
  pages: readonly (AlternativePage<Item> | null)[],
): { items: readonly Item[]; nextPositions: MergePositions | null } {
  const unfinishedPages = pages.flatMap((part) =>
    part?.cursor && part.items.length > 0 ? [part] : [],
  );
  const downToMs = Math.max(
    Number.NEGATIVE_INFINITY,
    ...unfinishedPages.map(({ items }) => Math.min(...items.map(({ timeMs }) => timeMs))),
  );
  const returnedItems = new Map<string, { timeMs: number; item: Item }>();
  const positions = previousPositions.positions.map((position, index): Position => {
    const page = pages[index] ?? null;
    if (page === null) return position;
    const isOld = ({ timeMs }: { timeMs: number }) =>
      position.isStarted &&
      previousPositions.downToMs !== null &&
      timeMs >= previousPositions.downToMs;
    for (const { timeMs, key, item } of page.items) {
      if (timeMs >= downToMs && !isOld({ timeMs })) returnedItems.set(key, { timeMs, item });
    }
    if (page.items.some(({ timeMs }) => timeMs < downToMs)) return { ...position, isStarted: true };
    return { cursor: page.cursor, isAtEnd: page.cursor === null, isStarted: false };
  });
  const items = [...returnedItems.values()].sort((a, b) => b.timeMs - a.timeMs);
  return {
    items: items.map(({ item }) => item),
    nextPositions: positions.every(({ isAtEnd }) => isAtEnd) ? null : { downToMs, positions },
  };
}

export const writeMergePositions = ({ downToMs, positions }: MergePositions): string =>
  JSON.stringify([
    downToMs,
    ...positions.map(({ cursor, isAtEnd, isStarted }) =>
      isAtEnd ? null : [cursor, isStarted ? 1 : 0],
    ),
  ]);

export function readMergePositions(text: string, alternatives: number): MergePositions | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const [downToMs = null, ...positions] = list(parsed, alternatives + 2);
  if (positions.length !== alternatives) return null;
  return {
    downToMs: typeof downToMs === "number" ? downToMs : null,
    positions: positions.map((position) => {
      const [cursor, started] = list(position, 2);
      return {
        cursor: string(cursor, 4_096),
        isAtEnd: !Array.isArray(position),
        isStarted: started === 1,
      };
    }),
  };
}
