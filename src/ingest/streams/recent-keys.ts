import { hash } from "node:crypto";

/**
 * Remembers at least the last `capacity` keys as 64-bit hashes, salted so that collisions cannot be
 * chosen. Takes 32 to 64 bytes of memory per key.
 */
export type RecentKeys = {
  add(key: string): boolean;
};

export function createRecentKeys(capacity: number, random: () => number): RecentKeys {
  const salt = Array.from({ length: 4 }, () => random().toString(36)).join(" ");
  let newerTable = createTable(capacity);
  let olderTable = createTable(capacity);
  return {
    add(key) {
      const digest = hash("sha256", salt + key, "buffer");
      const low = digest.readUInt32LE(0);
      // Zero in the upper half marks a free slot.
      const high = digest.readUInt32LE(4) || 1;
      if (olderTable.has(low, high) || !newerTable.add(low, high)) return false;
      if (newerTable.size() < capacity) return true;
      [newerTable, olderTable] = [olderTable, newerTable];
      newerTable.clear();
      return true;
    },
  };
}

function createTable(capacity: number) {
  const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
  const pairs = new Uint32Array(slots * 2);
  let size = 0;

  function findOffset(low: number, high: number): number {
    let slot = low & (slots - 1);
    while (pairs[slot * 2 + 1] !== 0) {
      if (pairs[slot * 2] === low && pairs[slot * 2 + 1] === high) break;
      slot = (slot + 1) & (slots - 1);
    }
    return slot * 2;
  }

  return {
    has: (low: number, high: number): boolean => pairs[findOffset(low, high) + 1] !== 0,
    add(low: number, high: number): boolean {
      const offset = findOffset(low, high);
      if (pairs[offset + 1] !== 0) return false;
      pairs[offset] = low;
      pairs[offset + 1] = high;
      size += 1;
      return true;
    },
    size: () => size,
    clear() {
      pairs.fill(0);
      size = 0;
    },
  };
}
