import type { Change } from "./watched-store.ts";

/** For each job of a key, how many jobs of other keys were leased while it waited, by first lease. */
export function countOtherLeases(changes: readonly Change[], keyId: string): number[] {
  const leasesBefore = new Map<string, number>();
  const waits: number[] = [];
  let leases = 0;
  for (const { uuid, keyId: jobKeyId, state } of changes) {
    if (jobKeyId !== keyId) {
      if (state === "in progress") leases += 1;
      continue;
    }
    if (state === "received" && !leasesBefore.has(uuid)) leasesBefore.set(uuid, leases);
    const startCount = leasesBefore.get(uuid);
    if (state !== "in progress" || startCount === undefined || Number.isNaN(startCount)) continue;
    waits.push(leases - startCount);
    leasesBefore.set(uuid, Number.NaN);
  }
  return waits;
}
