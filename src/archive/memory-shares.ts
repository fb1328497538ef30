export type MemoryShares = {
  /** Bytes for the IDs of sealed posts, shared by all threads. */
  ids: number;
  /** Bytes for the terms of sealed segments, per reader thread. */
  terms: number;
  /** Bytes for the pages of all open segments, per reader thread. */
  pages: number;
  /** Bytes for rendered records, per reader thread. */
  records: number;
};

export function memoryShares(memoryBytes: number, readers: number): MemoryShares {
  const twentieth = memoryBytes / 20;
  return {
    ids: Math.floor(8 * twentieth),
    terms: Math.floor((7 * twentieth) / readers),
    pages: Math.floor((3 * twentieth) / readers),
    records: Math.floor((2 * twentieth) / readers),
  };
}

const maxCacheKib = 8_000;
const minCacheKib = 500;

export function cacheKibPerSegment(cacheKib: number, openSegments: number): number {
  const share = Math.floor(cacheKib / Math.max(openSegments, 1));
  return Math.min(maxCacheKib, Math.max(minCacheKib, share));
}
