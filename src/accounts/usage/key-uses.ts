import type { Clock } from "../../lib/clock.ts";

type NotedUse = { keyId: string; usedMs: number; address: string };

/** When keys were used last, in memory. */
export type KeyUses = {
  note(keyId: string, address: string): void;
  /** The uses of keys of which none was taken for a minute; the others wait. */
  takeDue(): NotedUse[];
  putBack(uses: readonly NotedUse[]): void;
  /** All that wait are due. */
  hurry(): void;
};

const takenEveryMs = 60_000;

/** Holds at most `most` keys at a time; beyond that a use is not noted: a later one of the key is. */
export function createKeyUses(clock: Pick<Clock, "now" | "elapsed">, most: number): KeyUses {
  const waiting = new Map<string, NotedUse>();
  const takenMs = new Map<string, number>();

  function note(keyId: string, address: string): void {
    const held = waiting.get(keyId);
    if (held !== undefined) {
      held.usedMs = clock.now();
      held.address = address;
      return;
    }
    if (waiting.size < most) waiting.set(keyId, { keyId, usedMs: clock.now(), address });
  }

  function takeDue(): NotedUse[] {
    const nowMs = clock.elapsed();
    for (const [keyId, ms] of takenMs) if (nowMs - ms >= takenEveryMs) takenMs.delete(keyId);
    const due = [...waiting.values()].filter(({ keyId }) => !takenMs.has(keyId));
    for (const { keyId } of due) {
      waiting.delete(keyId);
      takenMs.set(keyId, nowMs);
    }
    return due;
  }

  function putBack(uses: readonly NotedUse[]): void {
    for (const use of uses) {
      takenMs.delete(use.keyId);
      if (!waiting.has(use.keyId)) waiting.set(use.keyId, use);
    }
  }

  return { note, takeDue, putBack, hurry: () => takenMs.clear() };
}
