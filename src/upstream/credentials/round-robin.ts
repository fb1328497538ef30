import type { Credential } from "../../platforms/credential.ts";

export type RoundRobin = {
  take(id: string, nowMs: number): void;
  /** Compares stored times and this process's own uses. */
  compare(credential: Credential, other: Credential): number;
};

type Turn = { atMs: number; sequence: number };

export function createRoundRobin(): RoundRobin {
  const turns = new Map<string, Turn>();
  let sequence = 0;

  function take(id: string, nowMs: number): void {
    sequence += 1;
    turns.set(id, { atMs: nowMs, sequence });
  }

  function findTurn({ id, usedMs }: Credential): Turn {
    const turn = turns.get(id) ?? { atMs: Number.NEGATIVE_INFINITY, sequence: 0 };
    return usedMs !== null && usedMs > turn.atMs ? { atMs: usedMs, sequence: turn.sequence } : turn;
  }

  function compare(left: Credential, right: Credential): number {
    const a = findTurn(left);
    const b = findTurn(right);
    if (a.atMs !== b.atMs) return a.atMs < b.atMs ? -1 : 1;
    return a.sequence - b.sequence;
  }

  return { take, compare };
}
