import type { Change } from "./watched-store.ts";

/**
 * How many jobs of other keys were given to nodes while a job of this key waited for its first turn and none of its key's ran:
 * one number for each of its jobs, in the order of their first turns.
 */
export function turnsWaited(changes: readonly Change[], keyId: string): number[] {
  const since = new Map<string, number>();
  const waited: number[] = [];
  let given = 0;
  for (const { uuid, keyId: whose, state } of changes) {
    if (whose !== keyId) {
      if (state === "in progress") given += 1;
      continue;
    }
    if (state === "received" && !since.has(uuid)) since.set(uuid, given);
    const from = since.get(uuid);
    if (state !== "in progress" || from === undefined || Number.isNaN(from)) continue;
    waited.push(given - from);
    since.set(uuid, Number.NaN);
  }
  return waited;
}
