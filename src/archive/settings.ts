/** How an archive is kept, and what happens by default. */
export type ArchiveBounds = {
  /** How long count changes gather before they are added to their posts, milliseconds. */
  countDelayMs: number;
  /** Above it streamed posts age out, oldest first, and imports are refused; bytes on disk. */
  maxBytes: number;
  /** Streamed posts that are older age out, milliseconds; 0 is no bound. */
  maxAgeMs: number;
  /** Posts above which a segment other than the newest is split. */
  splitPosts: number;
  /** How long a segment must be left alone before its index is merged into one piece, milliseconds. */
  optimiseAfterMs: number;
  /** Arrivals that are remembered at least, the newest ones. */
  arrivalsKept: number;
  /** How long the file of a segment that is no more is kept for those who still read it, milliseconds. */
  retiredMs: number;
};

export const archiveDefaults: ArchiveBounds = {
  countDelayMs: 60_000,
  maxBytes: 20_000_000_000,
  maxAgeMs: 0,
  splitPosts: 1_500_000,
  optimiseAfterMs: 600_000,
  arrivalsKept: 1_000_000,
  retiredMs: 300_000,
};
