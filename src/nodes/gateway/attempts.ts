/**
 * How often something was tried in any 60 seconds, by whom: an address, an identity. Memory is bounded: who has been quiet
 * longest is forgotten first.
 */
export type Attempts = {
  /** Counts an attempt; false when there were `limit` of them already. */
  allows(who: string, nowMs: number): boolean;
};

const windowMs = 60_000;
const mostRemembered = 10_000;

export function createAttempts(limit: number): Attempts {
  /** When the attempts of each were, oldest first; who tried last stands last. */
  const attemptsOf = new Map<string, number[]>();

  return {
    allows: (who, nowMs) => {
      const counted = (attemptsOf.get(who) ?? []).filter((atMs) => atMs + windowMs > nowMs);
      if (counted.length >= limit) return false;
      counted.push(nowMs);
      attemptsOf.delete(who);
      attemptsOf.set(who, counted);
      if (attemptsOf.size > mostRemembered) forgetQuietest();
      return true;
    },
  };

  function forgetQuietest(): void {
    for (const who of attemptsOf.keys()) {
      attemptsOf.delete(who);
      return;
    }
  }
}
