import type { Credential } from "../../platforms/credential.ts";

export type RoundRobin = {
  take(id: string, nowMs: number): void;
  /** Compares stored times and this process's own uses. */
  compare(credential: Credential, other: Credential): number;
};

type Turn = { atMs: number; number: number };

export function createRoundRobin(): RoundRobin {
  const turns = new Map<string, Turn>();
  let number = 0;

  function take(id: string, nowMs: number): void {
    number += 1;
    turns.set(id, { atMs: nowMs, number });
  }

  function findTurn({ id, usedMs }: Credential): Turn {
    const turn = turns.get(id) ?? { atMs: Number.NEGATIVE_INFINITY, number: 0 };
    return usedMs !== null && usedMs > turn.atMs ? { atMs: usedMs, number: turn.number } : turn;
  }

  function compare(x: Credential, right: Credential): number {
    const a = findTurn(x);
    const b = findTurn(right);
    if (a.atMs !== b.atMs) return a.atMs < b.atMs ? -1 : 1;
    return a.number - b.number;
  }

  return { take, compare };
}
