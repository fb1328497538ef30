/** Remembers the last `capacity` keys that were added. */
export type RecentKeys = {
  /** False when the key is remembered already. */
  add(key: string): boolean;
};

export function createRecentKeys(capacity: number): RecentKeys {
  const keys = new Set<string>();
  return {
    add(key) {
      if (keys.has(key)) return false;
      keys.add(key);
      if (keys.size > capacity) {
        const oldest = keys.values().next();
        if (!oldest.done) keys.delete(oldest.value);
      }
      return true;
    },
  };
}
