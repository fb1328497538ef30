import { hash } from "node:crypto";

/**
 * Remembers at least the last `capacity` keys as salted 64-bit hashes, which outsiders cannot
 * predict; 32 to 64 bytes each.
 */
export type RecentKeys = {
  add(key: string): boolean;
};

export function createRecentKeys(capacity: number, random: () => number): RecentKeys {
  const salt = Array.from({ length: 4 }, () => random().toString(36)).join(" ");
  let newer = createTable(capacity);
  let older = createTable(capacity);
  return {
    add(key) {
      const digest = hash("sha256", salt + key, "buffer");
      const low = digest.readUInt32LE(0);
      // Zero in the upper half marks a free slot.
      const high = digest.readUInt32LE(4) || 1;
      if (older.has(low, high) || !newer.add(low, high)) return false;
      if (newer.size() < capacity) return true;
      [newer, older] = [older, newer];
      newer.clear();
      return true;
    },
  };
}

function createTable(capacity: number) {
  const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
  const pairs = new Uint32Array(slots * 2);
  let size = 0;

  function computeSlot(low: number, high: number): number {
    let position = low & (slots - 1);
    while (pairs[position * 2 + 1] !== 0) {
      if (pairs[position * 2] === low && pairs[position * 2 + 1] === high) break;
      position = (position + 1) & (slots - 1);
    }
    return position * 2;
  }

  return {
    has: (low: number, high: number): boolean => pairs[computeSlot(low, high) + 1] !== 0,
    add(low: number, high: number): boolean {
      const position = computeSlot(low, high);
      if (pairs[position + 1] !== 0) return false;
      pairs[position] = low;
      pairs[position + 1] = high;
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
