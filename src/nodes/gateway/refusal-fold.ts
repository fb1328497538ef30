import type { Clock } from "../../lib/clock.ts";

/** That a node was not let in. `from` is what it is known by, its id or where it came from; `code` the check that failed. */
export type Refusal = { nodeId: string | null; from: string; code: string; detail: string };

/**
 * Counts refusals that say the same of the same node. Whoever is refused comes again, every few seconds where something starts
 * it anew: the first is worth an event, and the others one together.
 */
export type RefusalFold = {
  /** Whether it is the same as one before, within `foldMs`: then it is counted. */
  isRepeat(refusal: Refusal): boolean;
  /** From here on, for `foldMs`, repeats of it are counted. */
  begin(refusal: Refusal): void;
  /** What was counted, once its time is over; counting goes on where there was something to count. */
  takeCounted(): readonly { refusal: Refusal; count: number }[];
};

export const foldMs = 600_000;

export function createRefusalFold(clock: Clock): RefusalFold {
  /** The one that ends first stands first. */
  const folds = new Map<string, { refusal: Refusal; count: number; endsMs: number }>();

  function begin(refusal: Refusal): void {
    const key = keyOf(refusal);
    folds.delete(key);
    folds.set(key, { refusal, count: 0, endsMs: clock.elapsed() + foldMs });
  }

  return {
    begin,
    isRepeat: (refusal) => {
      const fold = folds.get(keyOf(refusal));
      if (fold === undefined) return false;
      fold.count += 1;
      fold.refusal = refusal;
      return true;
    },
    takeCounted: () => {
      const nowMs = clock.elapsed();
      const ended = [...takeWhile(folds.values(), ({ endsMs }) => endsMs <= nowMs)];
      for (const { refusal, count } of ended) {
        if (count > 0) begin(refusal);
        else folds.delete(keyOf(refusal));
      }
      return ended.filter(({ count }) => count > 0);
    },
  };
}

const keyOf = ({ from, code }: Refusal): string => `${code} ${from}`;

function* takeWhile<Item>(items: Iterable<Item>, test: (item: Item) => boolean): Iterable<Item> {
  for (const item of items) {
    if (!test(item)) return;
    yield item;
  }
}
