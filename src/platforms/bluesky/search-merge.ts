import { list, string } from "../fields.ts";

/** Of the next page. */
type Position = {
  cursor: string | null;
  isAtEnd: boolean;
  /** The page was fetched and returned down to `downToMs`. */
  isBegun: boolean;
};

/** Posts newer than `downToMs` were returned. */
export type MergePositions = { downToMs: number | null; places: readonly Position[] };

export type Part<Item> = {
  items: readonly { timeMs: number; key: string; item: Item }[];
  cursor: string | null;
};

export const firstMergePositions = (alternatives: number): MergePositions => ({
  downToMs: null,
  places: Array.from({ length: alternatives }, () => ({
    cursor: null,
    isAtEnd: false,
    isBegun: false,
  })),
});

/**
 * Newest first, distinct. Items older than another unfinished alternative's page wait for its
 * next page. A null part is exhausted.
 */
export function mergeNewest<Item>(
  before: MergePositions,
  parts: readonly (Part<Item> | null)[],
): { items: readonly Item[]; after: MergePositions | null } {
  const goingOn = parts.flatMap((part) => (part?.cursor && part.items.length > 0 ? [part] : []));
  const downToMs = Math.max(
    Number.NEGATIVE_INFINITY,
    ...goingOn.map(({ items }) => Math.min(...items.map(({ timeMs }) => timeMs))),
  );
  const given = new Map<string, { timeMs: number; item: Item }>();
  const places = before.places.map((position, index): Position => {
    const part = parts[index] ?? null;
    if (part === null) return position;
    const isOld = ({ timeMs }: { timeMs: number }) =>
      position.isBegun && before.downToMs !== null && timeMs >= before.downToMs;
    for (const { timeMs, key, item } of part.items) {
      if (timeMs >= downToMs && !isOld({ timeMs })) given.set(key, { timeMs, item });
    }
    if (part.items.some(({ timeMs }) => timeMs < downToMs)) return { ...position, isBegun: true };
    return { cursor: part.cursor, isAtEnd: part.cursor === null, isBegun: false };
  });
  const items = [...given.values()].sort((one, other) => other.timeMs - one.timeMs);
  return {
    items: items.map(({ item }) => item),
    after: places.every(({ isAtEnd }) => isAtEnd) ? null : { downToMs, places },
  };
}

export const writeMergePositions = ({ downToMs, places }: MergePositions): string =>
  JSON.stringify([
    downToMs,
    ...places.map(({ cursor, isAtEnd, isBegun }) => (isAtEnd ? null : [cursor, isBegun ? 1 : 0])),
  ]);

export function readMergePositions(text: string, alternatives: number): MergePositions | null {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return null;
  }
  const [downToMs = null, ...positions] = list(written, alternatives + 2);
  if (positions.length !== alternatives) return null;
  return {
    downToMs: typeof downToMs === "number" ? downToMs : null,
    places: positions.map((position) => {
      const [cursor, begun] = list(position, 2);
      return {
        cursor: string(cursor, 4_096),
        isAtEnd: !Array.isArray(position),
        isBegun: begun === 1,
      };
    }),
  };
}
