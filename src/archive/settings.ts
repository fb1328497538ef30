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
  /** How long files that belong to no segment are left in `orphaned`, milliseconds; less where the bytes are exceeded. */
  orphanedMs: number;
  /** Whether quiet segments are sealed; where not, sealed ones are put back. */
  seal: "on" | "off";
  /** How long no post must have arrived in a segment before it is sealed, milliseconds. */
  sealAfterMs: number;
  /** Posts below which a segment is not worth sealing. */
  sealPosts: number;
  /** Percent of a sealed segment's posts above which those written since are too many, and it is sealed anew. */
  resealPercent: number;
  /** How long a sealed segment stays as it is before it is sealed anew, milliseconds. */
  resealEveryMs: number;
  /** What a thread that reads remembers of the terms of sealed segments, bytes. */
  termMemoryBytes: number;
  /** What all threads of a process together remember of the IDs of sealed segments, bytes. */
  idMemoryBytes: number;
};

export const archiveDefaults: ArchiveBounds = {
  countDelayMs: 60_000,
  maxBytes: 20_000_000_000,
  maxAgeMs: 0,
  splitPosts: 1_500_000,
  optimiseAfterMs: 600_000,
  arrivalsKept: 1_000_000,
  retiredMs: 300_000,
  orphanedMs: 7 * 86_400_000,
  seal: "on",
  sealAfterMs: 3_600_000,
  sealPosts: 10_000,
  resealPercent: 10,
  resealEveryMs: 86_400_000,
  termMemoryBytes: 48 * 1024 ** 2,
  idMemoryBytes: 81_000_000,
};
