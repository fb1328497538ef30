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

/**
 * The nonces of a node's signed requests, as long as a request with the same one would be taken by its time. Bounded: with too
 * many it takes no more, so that none is forgotten early.
 */
export type RequestMemory = {
  /** `fresh` once for each nonce. */
  note(nonce: string, endsMs: number, nowMs: number): "fresh" | "replayed" | "full";
};

const mostNonces = 20_000;

export function createRequestMemory(most = mostNonces): RequestMemory {
  /** When each ends, in about that order. */
  const ends = new Map<string, number>();

  function forgetEnded(nowMs: number): void {
    for (const [nonce, endsMs] of ends) {
      if (endsMs > nowMs) return;
      ends.delete(nonce);
    }
  }

  return {
    note: (nonce, endsMs, nowMs) => {
      forgetEnded(nowMs);
      if (ends.has(nonce)) return "replayed";
      if (ends.size >= most) return "full";
      ends.set(nonce, endsMs);
      return "fresh";
    },
  };
}

/**
 * How often something was tried in any 60 seconds, by whom: an address, an identity. Memory is bounded: who has been quiet
 * longest is forgotten first.
 */
export type Attempts = {
  /** Counts an attempt; false when there were `limit` of them already. */
  allows(who: string, nowMs: number): boolean;
};

const attemptsWindowMs = 60_000;
const mostRemembered = 10_000;

export function createAttempts(limit: number): Attempts {
  /** When the attempts of each were, oldest first; who tried last stands last. */
  const attemptsOf = new Map<string, number[]>();

  return {
    allows: (who, nowMs) => {
      const counted = (attemptsOf.get(who) ?? []).filter((atMs) => atMs + attemptsWindowMs > nowMs);
      if (counted.length >= limit) return false;
      counted.push(nowMs);
      attemptsOf.delete(who);
      attemptsOf.set(who, counted);
      const [quietest = who] = attemptsOf.keys();
      if (attemptsOf.size > mostRemembered) attemptsOf.delete(quietest);
      return true;
    },
  };
}
