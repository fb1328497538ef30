import type { Clock } from "../../lib/clock.ts";

type PendingUse = { keyId: string; usedMs: number; address: string };

export type KeyUses = {
  record(keyId: string, address: string): void;
  takeDue(): PendingUse[];
  restore(uses: readonly PendingUse[]): void;
  makeAllDue(): void;
};

const intervalMs = 60_000;

/** Beyond `max` keys, uses are dropped. */
export function createKeyUses(clock: Pick<Clock, "now" | "elapsed">, max: number): KeyUses {
  const waiting = new Map<string, PendingUse>();
  const takenMs = new Map<string, number>();

  function record(keyId: string, address: string): void {
    const pending = waiting.get(keyId);
    if (pending !== undefined) {
      pending.usedMs = clock.now();
      pending.address = address;
      return;
    }
    if (waiting.size < max) waiting.set(keyId, { keyId, usedMs: clock.now(), address });
  }

  function takeDue(): PendingUse[] {
    const nowMs = clock.elapsed();
    for (const [keyId, ms] of takenMs) if (nowMs - ms >= intervalMs) takenMs.delete(keyId);
    const due = [...waiting.values()].filter(({ keyId }) => !takenMs.has(keyId));
    for (const { keyId } of due) {
      waiting.delete(keyId);
      takenMs.set(keyId, nowMs);
    }
    return due;
  }

  function restore(uses: readonly PendingUse[]): void {
    for (const use of uses) {
      takenMs.delete(use.keyId);
      if (!waiting.has(use.keyId)) waiting.set(use.keyId, use);
    }
  }

  return { record, takeDue, restore, makeAllDue: () => takenMs.clear() };
}
