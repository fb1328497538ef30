import { addressGroup } from "./address-group.ts";

/**
 * How many different wrong keys came from an address in any 60 seconds. The same one again is no new guess, so that a client
 * that goes on with a revoked key does not lock out those beside it. An IPv6 network of 64 bits counts as one address.
 * Memory is bounded: the address that has been quiet longest is forgotten first.
 */
export type FailedKeys = {
  /** Counts a wrong key; `presentedHash`, of all that was presented, distinguishes it from others. */
  note(address: string, presentedHash: string, limit: number, nowMs: number): void;
  /** For how long the address has used up its `limit` of wrong keys; 0 when it has not. */
  blockedMs(address: string, limit: number, nowMs: number): number;
};

const windowMs = 60_000;
const maxAddresses = 10_000;

export function createFailedKeys(): FailedKeys {
  /** When each different wrong key of an address came, oldest first. */
  const addresses = new Map<string, Map<string, number>>();

  function note(address: string, presentedHash: string, limit: number, nowMs: number): void {
    const group = addressGroup(address);
    const wrongKeys = addresses.get(group) ?? new Map<string, number>();
    addresses.delete(group);
    addresses.set(group, wrongKeys);
    forgetPassed(wrongKeys, nowMs);
    if (wrongKeys.size < limit && !wrongKeys.has(presentedHash))
      wrongKeys.set(presentedHash, nowMs);
    if (addresses.size > maxAddresses) forgetQuietest();
  }

  function forgetQuietest(): void {
    for (const quietest of addresses.keys()) {
      addresses.delete(quietest);
      return;
    }
  }

  function blockedMs(address: string, limit: number, nowMs: number): number {
    // Most servers know of no wrong key at all.
    if (addresses.size === 0) return 0;
    const wrongKeys = addresses.get(addressGroup(address));
    if (wrongKeys === undefined) return 0;
    forgetPassed(wrongKeys, nowMs);
    if (wrongKeys.size < limit) return 0;
    const [oldestMs = nowMs] = wrongKeys.values();
    return oldestMs + windowMs - nowMs;
  }

  return { note, blockedMs };
}

function forgetPassed(wrongKeys: Map<string, number>, nowMs: number): void {
  for (const [hash, atMs] of wrongKeys) {
    if (atMs + windowMs > nowMs) return;
    wrongKeys.delete(hash);
  }
}
