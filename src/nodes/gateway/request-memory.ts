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
