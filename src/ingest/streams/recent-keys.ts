import { hash } from "node:crypto";

/**
 * Knows at least the last `capacity` keys that were added. A key is held as 64 bits of a hash that nobody outside can foresee:
 * the chance that an event is taken for another one is `capacity` in 2^63. Takes 32 to 64 bytes for each of the capacity.
 */
export type RecentKeys = {
  /** False when the key is remembered already. */
  add(key: string): boolean;
};

/** `random` gives numbers from 0 to below 1. */
export function createRecentKeys(capacity: number, random: () => number): RecentKeys {
  const salt = Array.from({ length: 4 }, () => random().toString(36)).join(" ");
  // A table that is full becomes the older one, and the older one is emptied for what comes.
  let newer = createTable(capacity);
  let older = createTable(capacity);
  return {
    add(key) {
      const digest = hash("sha256", salt + key, "buffer");
      const low = digest.readUInt32LE(0);
      // Zero in both halves marks a free place.
      const high = digest.readUInt32LE(4) || 1;
      if (older.has(low, high) || !newer.add(low, high)) return false;
      if (newer.size() < capacity) return true;
      [newer, older] = [older, newer];
      newer.clear();
      return true;
    },
  };
}

/** A set of pairs of 32 bits, at most half full, in which a pair stands at the first free place from its own on. */
function createTable(capacity: number) {
  const places = 2 ** Math.ceil(Math.log2(capacity * 2));
  const pairs = new Uint32Array(places * 2);
  let size = 0;

  /** Where the pair stands, or would. */
  function placeOf(low: number, high: number): number {
    let place = low & (places - 1);
    while (pairs[place * 2 + 1] !== 0) {
      if (pairs[place * 2] === low && pairs[place * 2 + 1] === high) break;
      place = (place + 1) & (places - 1);
    }
    return place * 2;
  }

  return {
    has: (low: number, high: number): boolean => pairs[placeOf(low, high) + 1] !== 0,
    add(low: number, high: number): boolean {
      const place = placeOf(low, high);
      if (pairs[place + 1] !== 0) return false;
      pairs[place] = low;
      pairs[place + 1] = high;
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
