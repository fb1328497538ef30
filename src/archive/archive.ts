import type { PlanNode, QueryNames, ResolvedNames } from "@earshot/query/plan";
import type { CountMetric } from "@earshot/query/tree";
import type { ThreadLoad } from "../db/threads/thread.ts";
import type { Platform, Post } from "../posts/post.ts";
import type { PackedPosts } from "./bulk/packed-posts.ts";
import type { PreparationSettings } from "./bulk/prepare-posts.ts";
import type { CompactionState } from "./compaction-state.ts";

/** Position in the one order of all answers: newest ID first; platforms by name within one ID. */
export type Position = {
  id: bigint;
  platform: Platform;
  /** Set where a page starts after it: orders posts of one millisecond equally on every server (`posts/ids.ts`). */
  uriHash?: string;
};

/** A post under another name, such as its id on one server. Names of deleted posts are kept for a while. */
export type NamedPosition = Position & { name: string; isHeld: boolean };

export type ArchiveChange =
  /** `alias`: another name that a deletion may use while the post is stored. */
  | { kind: "upsert"; post: Post; alias?: string }
  /** Only a revision after `revision` may restore the post. */
  | { kind: "delete"; platform: Platform; uri: string; revision: string }
  /** `name` is an alias or the uri. Leaves no tombstone if the post is not stored. */
  | { kind: "delete-held"; platform: Platform; name: string; revision: string }
  | {
      kind: "handle";
      platform: Platform;
      userId: string;
      handle: string;
      observedMs: number;
    }
  /** Added to the post's counts; ignored if the post is not stored. */
  | { kind: "count"; platform: Platform; uri: string; metric: CountMetric; by: number }
  /** The latest counts. All but `active` and `deleted` hide the account's posts, reversibly. */
  | {
      kind: "account";
      platform: Platform;
      userId: string;
      status: AccountStatus;
      observedMs: number;
    }
  /** `labels`: all self-applied ones. The latest counts. */
  | {
      kind: "profile";
      platform: Platform;
      userId: string;
      name: string | null;
      labels: readonly string[];
      observedMs: number;
    }
  /** The newest label per source, subject and value counts; `negated` retracts it. */
  | {
      kind: "label";
      platform: Platform;
      /** A post's uri or an account id. */
      subject: string;
      source: string;
      value: string;
      negated: boolean;
      createdMs: number;
      expiresMs: number | null;
    }
  /** Results come as other changes; the next lookup is not due for a while. */
  | { kind: "looked-up"; platform: Platform; userId: string; atMs: number };

/**
 * `inactive`: any other reason. `opted-out`: asks not to be found by the public; recorded only for known accounts, because
 * most of a network may have it.
 */
export type AccountStatus =
  | "active"
  | "opted-out"
  | "deactivated"
  | "suspended"
  | "takendown"
  | "deleted"
  | "inactive";

/** What coverage is tracked for; likes and reposts are the events behind counts. */
export type Collection = "posts" | "likes" | "reposts" | "labels";

/** A span that a source covers completely; Unix milliseconds, `toMs` exclusive. */
export type CoverageInterval = {
  platform: Platform;
  collection: Collection;
  /** The only account covered; null for all accounts. */
  account: string | null;
  /** `jetstream`, `import`, `backfill` …: touching intervals of one source are merged. */
  source: string;
  fromMs: number;
  toMs: number;
};

export type WriteBatch = {
  changes: readonly ArchiveChange[];
  /** Committed with the changes: a stream's cursor, an import's progress. */
  checkpoints?: readonly { name: string; value: string }[];
  coverage?: readonly CoverageInterval[];
};

/** One platform's posts, prepared by `preparePosts`. */
export type ImportBatch = {
  posts: PackedPosts | null;
  checkpoints: readonly { name: string; value: string }[];
  coverage: readonly CoverageInterval[];
};

export type WriteReport = {
  inserted: number;
  updated: number;
  /** Stored in this or a later version, or as observed when the batch only imports. */
  unchanged: number;
  deleted: number;
  /** Deleted at a later revision, or of a time that has aged out. */
  suppressed: number;
};

export type SearchRequest = {
  plan: PlanNode;
  platforms: readonly Platform[];
  /** Bounds of the post's time, Unix milliseconds, `toMs` exclusive; null is unbounded. */
  fromMs: number | null;
  toMs: number | null;
  after: Position | null;
  limit: number;
  /** Unix milliseconds; checked between segments. */
  deadlineMs: number;
  /** Shares readers fairly among accounts; searches without one count as one account. */
  account?: string;
  /** How many opened segments `work` lists; none if omitted. */
  segmentsTold?: number;
};

export type SearchWork = {
  segmentsHeld: number;
  /** Those owning an ID that could match. */
  segmentsInWindow: number;
  segmentsOpened: number;
  /** Visits of segments, counting each resumption after a yield. */
  slices: number;
  /** Segment searches, and rows read to check a candidate. */
  statements: number;
  candidates: number;
  /** Candidates whose row had to be read. */
  rechecked: number;
  /** Containers of sealed indexes read: a cost that candidates do not show. */
  containers: number;
  returned: number;
  /** In visiting order, limited by the request. */
  segments: readonly SegmentWork[];
};

export type SegmentWork = {
  platform: Platform;
  sequence: number;
  candidates: number;
  rechecked: number;
  containers: number;
  /** Matches before merging with other segments. */
  found: number;
  /** Includes opening the file if it was not open. */
  tookMs: number;
};

export type SearchAnswer = {
  positions: readonly Position[];
  /** Start of the next page; null when nothing older can match. */
  next: Position | null;
  /** False when the deadline came first; `next` then continues there. */
  complete: boolean;
  damage: readonly Damage[];
  work: SearchWork;
};

/**
 * Posts of a segment that may be missing from an answer because they or their index are unreadable. The span contains all
 * their times; Unix milliseconds; null is unbounded.
 */
export type Damage = {
  platform: Platform;
  sequence: number;
  fromMs: number | null;
  toMs: number | null;
};

export type CountRequest = {
  plan: PlanNode;
  platforms: readonly Platform[];
  /** Unix milliseconds, `toMs` exclusive. */
  fromMs: number;
  toMs: number;
  /** Buckets begin at multiples of it since the Unix epoch; the bounds cut the first and the last. */
  bucketMs: number;
  /** Unix milliseconds; checked between segments. */
  deadlineMs: number;
  /** As in a search. */
  account?: string;
};

export type CountAnswer = {
  /** Non-empty buckets, oldest first. */
  buckets: readonly { fromMs: number; count: number }[];
  /** Counted completely from here on: the request's `fromMs` unless the deadline came first. */
  countedFromMs: number;
  damage: readonly Damage[];
  work: CountWork;
  held: readonly PlatformCoverage[];
};

export type CountWork = {
  segmentsInWindow: number;
  /** Answered from the cache. */
  segmentsCached: number;
  segmentsOpened: number;
  /** Visits of segments, counting each resumption after a yield. */
  slices: number;
  statements: number;
};

export type SegmentStats = {
  platform: Platform;
  sequence: number;
  posts: number;
  imported: number;
  hidden: number;
  bytes: number;
  /** Post times, from IDs where these contain one; Unix milliseconds; null if empty. */
  fromMs: number | null;
  toMs: number | null;
  /** False: terms of another analyzer, so it is searched row by row until rewritten. */
  current: boolean;
  optimised: boolean;
  sealed: SealedStats | null;
};

/** The sealed index at sealing, and changes since. */
export type SealedStats = {
  /** Unix milliseconds. */
  atMs: number;
  posts: number;
  bytes: number;
  /** Posts deleted or rewritten since. */
  replaced: number;
  /** Posts written since (the delta), found by FTS5. */
  overlay: number;
  /** Unusable index: the segment is searched row by row until resealed. */
  damaged: boolean;
};

export type ArchiveStats = {
  segments: readonly SegmentStats[];
  catalogBytes: number;
  /** The whole archive folder. */
  bytes: number;
  maxBytes: number;
  tombstones: number;
  accounts: number;
  labels: number;
  /** Count changes not yet added to their posts. */
  waitingCounts: number;
  arrival: number;
  /** Pending requested rewrites. */
  wantedRewrites: number;
  /** Pending requested seals. */
  wantedSeals: number;
  /** Former or unfinished segment files. */
  retiredFiles: number;
  orphaned: { files: number; bytes: number };
  held: readonly PlatformCoverage[];
};

export type IngestedPost = Position & { number: number };

export type StoredRecords = { records: readonly string[]; damage: readonly Damage[] };
export type StoredPage = { body: Uint8Array; damage: readonly Damage[] };

/** Coverage is read before the search: posts that come in between may be found, but are not promised. */
export type CoveredAnswer = SearchAnswer & { held: readonly PlatformCoverage[] };

export type PlatformCoverage = {
  platform: Platform;
  intervals: readonly CoverageInterval[];
  holdsPosts: boolean;
};

type ArchiveThreadLoad = ThreadLoad & { thread: ArchiveThreadName };

export type ArchiveThreadName = "writer" | "readers" | "upkeep" | "languages";

/**
 * Storage and search of posts, on other threads: never blocks the event loop; reads never wait for writes. Errors:
 * `archive_unavailable` (retryable) when a thread died or a disk is full.
 */
export type Archive = {
  /**
   * Applies a batch, which is on disk when the promise resolves. Batches run one at a time across all processes of the
   * folder, in call order. A failed batch also fails those queued behind it, so that no checkpoint runs ahead.
   */
  write(batch: WriteBatch): Promise<WriteReport>;
  preparation: PreparationSettings;
  /**
   * Keeps the call order with `write`. Batches may be buffered until they fill a sealed segment: on disk once `finishImport`
   * resolves. The posts are transferred, not copied.
   */
  importPosts(batch: ImportBatch): Promise<WriteReport>;
  finishImport(): Promise<void>;
  /** On abort, rejects with the signal's reason and stops the searching thread. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<CoveredAnswer>;
  /** JSON texts in order, without deleted and damaged posts. */
  records(positions: readonly Position[]): Promise<StoredRecords>;
  /** The same as one JSON array in UTF-8, assembled on the reader thread. */
  page(positions: readonly Position[]): Promise<StoredPage>;
  /** For each item, whether it was deleted or hidden and must not be shown. */
  withheld(names: readonly FetchedName[]): Promise<readonly boolean[]>;
  /** Accounts by handle or id; posts by ID, uri or address. */
  resolve(names: QueryNames): Promise<ResolvedNames>;
  /** Returns the IDs in order. */
  identify(posts: readonly UnknownPost[]): Promise<readonly Identified[]>;
  /** Detects the language of posts whose source names none, as storing them would. */
  withLanguages(posts: readonly Post[]): Promise<readonly Post[]>;
  count(request: CountRequest, signal?: AbortSignal): Promise<CountAnswer>;
  /**
   * Returns posts in ingest order; null begins with the oldest known. Errors: `arrivals_forgotten` if the position is older
   * than the retained order.
   */
  arrivals(after: IngestedPost | null, limit: number): Promise<readonly IngestedPost[]>;
  /** Accounts with stored posts, not looked up since `beforeMs`; never looked-up ones first. */
  accountsToLookUp(platform: Platform, beforeMs: number, limit: number): Promise<readonly string[]>;
  /** Accounts that a folded username without a platform can mean; at most a few dozen. */
  accountsNamed(name: string): Promise<readonly NamedAccount[]>;
  /** Newest posts first, IDs lower than `below` (null: all). */
  aliases(
    platform: Platform,
    below: bigint | null,
    limit: number,
  ): Promise<readonly NamedPosition[]>;
  readCheckpoint(name: string): Promise<string | null>;
  coverage(): Promise<readonly PlatformCoverage[]>;
  stats(): Promise<ArchiveStats>;
  /** Null if this process does not run compaction. */
  upkeep(): Promise<CompactionState | null>;
  /** Calls `listener` with the damage of every answer that has any. */
  onDamage(listener: (damage: readonly Damage[]) => void): void;
  /**
   * Resolves once the catalog is verified, for which all calls but `answers` and `load` wait. Errors: `archive_damaged`, also
   * of all later calls.
   */
  verified(): Promise<void>;
  /** Resolves when a reader responds, possibly before `verified`. Errors: those of `verified`, once known. */
  answers(): Promise<void>;
  load(): readonly ArchiveThreadLoad[];
  close(): Promise<void>;
};

/** An account by its last known handle; `user@host` on Mastodon. */
export type NamedAccount = { platform: Platform; handle: string };

/** The uri of a post, and the id of its author or of the account itself. */
export type FetchedName = { platform: Platform; uri: string | null; userId: string | null };

/** `timeMs` as of `postTimeMs`. */
export type UnknownPost = { platform: Platform; uri: string; timeMs: number };

/** The stored post's ID, or the one that it would get. */
export type Identified = { id: bigint; isHeld: boolean };
