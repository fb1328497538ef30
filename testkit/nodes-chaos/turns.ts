import type { Change } from "./watched-store.ts";

/** For each job of a key, how many jobs of other keys were leased while it waited, by first lease. */
export function countOtherLeases(changes: readonly Change[], keyId: string): number[] {
  const since = new Map<string, number>();
  const waited: number[] = [];
  let leases = 0;
  for (const { uuid, keyId: jobKeyId, state } of changes) {
    if (jobKeyId !== keyId) {
      if (state === "in progress") leases += 1;
      continue;
    }
    if (state === "received" && !since.has(uuid)) since.set(uuid, leases);
    const from = since.get(uuid);
    if (state !== "in progress" || from === undefined || Number.isNaN(from)) continue;
    waited.push(leases - from);
    since.set(uuid, Number.NaN);
  }
  return waited;
}
