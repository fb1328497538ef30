/** Which leases a node has opened, as long as they could be sent again. */
export type OpenedLeases = {
  /** Remembers a lease until it ends. False where it was opened before, or where too many are remembered. */
  add(lease: string, endsMs: number, nowMs: number): boolean;
};

/** Leases of one node that can be alive at a time, by far. */
const mostLeases = 100_000;

/** Bounded: with `most` leases that have not ended, it takes no other. */
export function createOpenedLeases(most = mostLeases): OpenedLeases {
  const endsOf = new Map<string, number>();

  function forgetEnded(nowMs: number): void {
    for (const [lease, endsMs] of endsOf) if (endsMs < nowMs) endsOf.delete(lease);
  }

  return {
    add: (lease, endsMs, nowMs) => {
      if (endsOf.has(lease)) return false;
      if (endsOf.size >= most) forgetEnded(nowMs);
      if (endsOf.size >= most) return false;
      endsOf.set(lease, endsMs);
      return true;
    },
  };
}
