import type { Clock } from "../../lib/clock.ts";

/** No second, wherever it begins, holds more than so many. */
export type Pace = {
  note(): void;
  /** How long until one more is allowed; 0 when it is now. */
  waitMs(): number;
};

const windowMs = 1_000;

export function createPace(perSecond: number, clock: Pick<Clock, "elapsed">): Pace {
  /** The oldest first. */
  let notedMs: number[] = [];

  return {
    note: () => {
      notedMs.push(clock.elapsed());
    },
    waitMs: () => {
      const sinceMs = clock.elapsed() - windowMs;
      if (notedMs[0] !== undefined && notedMs[0] <= sinceMs) {
        notedMs = notedMs.filter((atMs) => atMs > sinceMs);
      }
      const oldestMs = notedMs[notedMs.length - perSecond];
      return oldestMs === undefined ? 0 : oldestMs - sinceMs;
    },
  };
}
