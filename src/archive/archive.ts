import type { Platform, Post } from "../posts/post.ts";
import type { QueryNames, ResolvedNames } from "../query/make-plan.ts";
import type { PlanNode } from "../query/plan.ts";

/** A post's place in the one order of all answers: newest ID first, platforms by name within one ID. */
export type Position = { id: bigint; platform: Platform };

export type ArchiveChange =
  | { kind: "upsert"; post: Post }
  /** `revision` is the one that deleted it: only a later one may bring the post back. */
  | { kind: "delete"; platform: Platform; uri: string; revision: string }
  | {
      kind: "handle";
      platform: Platform;
      userId: string;
      handle: string;
      observedMs: number;
    };

/** A span that a source holds completely, Unix milliseconds, `toMs` exclusive. */
export type CoverageInterval = {
  platform: Platform;
  /** `jetstream`, `import` …: intervals of one source that touch are merged. */
  source: string;
  fromMs: number;
  toMs: number;
};

export type WriteBatch = {
  changes: readonly ArchiveChange[];
  /** Saved in one step with the changes: a stream's cursor, an import's progress. */
  checkpoints?: readonly { name: string; value: string }[];
  coverage?: readonly CoverageInterval[];
};

export type WriteReport = {
  inserted: number;
  updated: number;
  /** Already held in this or a later version, or held as observed where the batch only imports. */
  unchanged: number;
  deleted: number;
  /** Kept out because the post was deleted at a later revision. */
  suppressed: number;
};

export type SearchRequest = {
  plan: PlanNode;
  platforms: readonly Platform[];
  /** Inclusive and exclusive bounds of the post's time, Unix milliseconds; null is unbounded. */
  fromMs: number | null;
  toMs: number | null;
  /** Only posts strictly after this position in the order (older). */
  after: Position | null;
  limit: number;
  /** Unix milliseconds; looked at between two segments. */
  deadlineMs: number;
  /** How many of the opened segments the answer's `work` tells of, the first ones; none where it is left out. */
  segmentsTold?: number;
};

/** What a search cost. */
export type SearchWork = {
  /** Of the asked platforms. */
  segmentsHeld: number;
  /** Those that own an ID which could match, by its time, its number and the page's start. */
  segmentsInWindow: number;
  segmentsOpened: number;
  /** Searches of segments, and rows read to check a candidate. */
  statements: number;
  /** Posts that the index named. */
  candidates: number;
  /** Candidates whose row was read, as the index could not say for certain whether they match. */
  rechecked: number;
  returned: number;
  /** In the order of the visits; no more than the request asks for. */
  segments: readonly SegmentWork[];
};

export type SegmentWork = {
  platform: Platform;
  sequence: number;
  candidates: number;
  rechecked: number;
  /** Matches, before those of other segments were put among them. */
  found: number;
  /** With the opening of its file, where it was not open yet. */
  tookMs: number;
};

export type SearchAnswer = {
  positions: readonly Position[];
  /** Where the next page starts; null when nothing older can match. */
  next: Position | null;
  /** False when the deadline came before the end; `next` then continues there. */
  complete: boolean;
  work: SearchWork;
};

/** What the archive held completely just before it was searched: posts that came in between are found, not counted on. */
export type CoveredAnswer = SearchAnswer & { held: readonly PlatformCoverage[] };

export type PlatformCoverage = {
  platform: Platform;
  intervals: readonly CoverageInterval[];
  /** Whether any post of the platform is held. */
  holdsPosts: boolean;
};

/**
 * The memory of the product. All calls run on other threads; none holds the event loop. Reads never wait for writes.
 * Errors: `archive_unavailable` (retryable) when a thread died or a disk is full.
 */
export type Archive = {
  /**
   * Applies a batch; when it resolves the batch is on disk. One batch at a time across all processes of the folder, in the order
   * of the calls; when one fails, those that were called meanwhile fail with it, so that no checkpoint runs ahead.
   */
  write(batch: WriteBatch): Promise<WriteReport>;
  search(request: SearchRequest, signal?: AbortSignal): Promise<CoveredAnswer>;
  /** The stored records of these posts as JSON texts, in order; posts deleted meanwhile are left out. */
  records(positions: readonly Position[]): Promise<readonly string[]>;
  /** What names that a query uses can stand for: accounts by handle or id, posts by ID, uri or address. */
  resolve(names: QueryNames): Promise<ResolvedNames>;
  readCheckpoint(name: string): Promise<string | null>;
  coverage(): Promise<readonly PlatformCoverage[]>;
  close(): Promise<void>;
};
