import ipaddr from "ipaddr.js";

/** The IPv4 address, or the IPv6 /64, which usually belongs to one household. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}

/** IPv4 /24 or IPv6 /64, else "unknown". */
export function addressNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === "ipv4") return `${bytes.slice(0, 3).join(".")}.0/24`;
  const network = [...bytes.slice(0, 8), ...Array.from({ length: 8 }, () => 0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}

/**
 * Counts the different wrong keys per address in 60 seconds: a client that repeats a revoked key
 * does not lock out others. Evicts the least recently seen address.
 */
export type FailedKeys = {
  record(address: string, presentedHash: string, limit: number, nowMs: number): void;
  blockedMs(address: string, limit: number, nowMs: number): number;
};

const windowMs = 60_000;
const maxAddresses = 10_000;

export function createFailedKeys(): FailedKeys {
  const addresses = new Map<string, Map<string, number>>();

  function record(address: string, presentedHash: string, limit: number, nowMs: number): void {
    const group = addressGroup(address);
    const wrongKeys = addresses.get(group) ?? new Map<string, number>();
    addresses.delete(group);
    addresses.set(group, wrongKeys);
    removeExpired(wrongKeys, nowMs);
    if (wrongKeys.size < limit && !wrongKeys.has(presentedHash))
      wrongKeys.set(presentedHash, nowMs);
    if (addresses.size > maxAddresses) evictOldest();
  }

  function evictOldest(): void {
    for (const oldest of addresses.keys()) {
      addresses.delete(oldest);
      return;
    }
  }

  function blockedMs(address: string, limit: number, nowMs: number): number {
    if (addresses.size === 0) return 0;
    const wrongKeys = addresses.get(addressGroup(address));
    if (wrongKeys === undefined) return 0;
    removeExpired(wrongKeys, nowMs);
    if (wrongKeys.size < limit) return 0;
    const [oldestMs = nowMs] = wrongKeys.values();
    return oldestMs + windowMs - nowMs;
  }

  return { record, blockedMs };
}

function removeExpired(wrongKeys: Map<string, number>, nowMs: number): void {
  for (const [hash, atMs] of wrongKeys) {
    if (atMs + windowMs > nowMs) return;
    wrongKeys.delete(hash);
  }
}
