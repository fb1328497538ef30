import type { Clock } from "../../lib/clock.ts";
import { firstOf } from "../../lib/first-of.ts";

/**
 * So many requests for work are open at a time for one set of methods, however many runners there are: whoever gets a job makes
 * room for the next one to ask.
 */
const mostPolls = 2;

export type PollSlots = {
  /** A slot, to be given back by a call; null when none came free in time. */
  take(waitMs: number, signal?: AbortSignal): Promise<(() => void) | null>;
};

export function createPollSlots(clock: Clock): PollSlots {
  const waiting = new Set<(slot: () => void) => void>();
  let free = mostPolls;

  function slot(): () => void {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const give of waiting) return give(slot());
      free += 1;
    };
  }

  return {
    take: async (waitMs, signal) => {
      if (free > 0) {
        free -= 1;
        return slot();
      }
      return await firstOf<() => void>(clock, waitMs, signal, (give) => {
        waiting.add(give);
        return () => waiting.delete(give);
      });
    },
  };
}
