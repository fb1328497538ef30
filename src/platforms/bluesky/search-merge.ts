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
 * wait for its next page. A null part is exhausted.
 */
export function mergeNewest<Item>(
  before: MergePositions,
  parts: readonly (AlternativePage<Item> | null)[],
): { items: readonly Item[]; after: MergePositions | null } {
  const unfinished = parts.flatMap((part) => (part?.cursor && part.items.length > 0 ? [part] : []));
  const downToMs = Math.max(
    Number.NEGATIVE_INFINITY,
    ...unfinished.map(({ items }) => Math.min(...items.map(({ timeMs }) => timeMs))),
  );
  const returned = new Map<string, { timeMs: number; item: Item }>();
  const positions = before.positions.map((position, index): Position => {
    const part = parts[index] ?? null;
    if (part === null) return position;
    const isOld = ({ timeMs }: { timeMs: number }) =>
      position.isStarted && before.downToMs !== null && timeMs >= before.downToMs;
    for (const { timeMs, key, item } of part.items) {
      if (timeMs >= downToMs && !isOld({ timeMs })) returned.set(key, { timeMs, item });
    }
    if (part.items.some(({ timeMs }) => timeMs < downToMs)) return { ...position, isStarted: true };
    return { cursor: part.cursor, isAtEnd: part.cursor === null, isStarted: false };
  });
  const items = [...returned.values()].sort((a, b) => b.timeMs - a.timeMs);
  return {
    items: items.map(({ item }) => item),
    after: positions.every(({ isAtEnd }) => isAtEnd) ? null : { downToMs, positions },
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
