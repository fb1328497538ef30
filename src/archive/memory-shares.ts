/** How the memory of an archive's caches is split, bytes. */
export type MemoryShares = {
  /** IDs of sealed posts, once for all threads. */
  ids: number;
  /** Terms of sealed segments, in each reader thread. */
  terms: number;
  /** Pages of all segments that a reader thread has open. */
  pages: number;
};

/** Two fifths for IDs, two fifths for terms, one fifth for pages. */
export function memoryShares(memoryBytes: number, readers: number): MemoryShares {
  const fifth = memoryBytes / 5;
  return {
    ids: Math.floor(2 * fifth),
    terms: Math.floor((2 * fifth) / readers),
    pages: Math.floor(fifth / readers),
  };
}

const mostCacheKib = 8_000;
const leastCacheKib = 500;

/** The page cache of each of so many open segments, KiB. */
export function segmentCache(cacheKib: number, openSegments: number): number {
  const share = Math.floor(cacheKib / Math.max(openSegments, 1));
  return Math.min(mostCacheKib, Math.max(leastCacheKib, share));
}
