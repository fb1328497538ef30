import type { PlanNode, QueryNames, ResolvedNames } from "@earshot/query/plan";
import type { CountMetric } from "@earshot/query/tree";
import type { ThreadLoad } from "../db/threads/thread.ts";
import type { Platform, Post } from "../posts/post.ts";
import type { PackedPosts } from "./bulk/packed-posts.ts";
import type { PreparationSettings } from "./bulk/prepare-posts.ts";
import type { CompactionState } from "./compaction-state.ts";

/** All answers are sorted by position: newest ID first, then by platform name. */
export type Position = {
  id: bigint;
  platform: Platform;
  /** Gives posts of the same millisecond the same order on every server. */
  uriHash?: string;
};

export type NamedPosition = Position & { name: string; isStored: boolean };

export type ArchiveChange =
  /** `alias`: another name that a deletion may use. */
  | { kind: "upsert"; post: Post; alias?: string }
  /** Only a later revision may restore the post. */
  | { kind: "delete"; platform: Platform; uri: string; revision: string }
  /** `name`: an alias or the uri. Leaves no tombstone if the post is not stored. */
  | { kind: "delete-stored"; platform: Platform; name: string; revision: string }
  | {
      kind: "handle";
      platform: Platform;
      userId: string;
      handle: string;
      observedMs: number;
    }
  | { kind: "count"; platform: Platform; uri: string; metric: CountMetric; increment: number }
  /** The latest status applies. All except `active` and `deleted` hide the account's posts until it changes. */
  | {
      kind: "account";
      platform: Platform;
      userId: string;
      status: AccountStatus;
      observedMs: number;
    }
  /** `labels`: all self-applied labels. The latest profile applies. */
  | {
      kind: "profile";
      platform: Platform;
      userId: string;
      name: string | null;
      labels: readonly string[];
      observedMs: number;
    }
  /** Only the newest entry per source (labeler), subject and value counts; if `negated`, the label is removed. */
  | {
      kind: "label";
      platform: Platform;
      subject: string;
      source: string;
      value: string;
      negated: boolean;
      createdMs: number;
      expiresMs: number | null;
    }
  | { kind: "looked-up"; platform: Platform; userId: string; atMs: number };

/**
 * `inactive`: for any other reason. `opted-out`: recorded only for known accounts, because most
 * accounts of a network may have opted out.
 */
export type AccountStatus =
  | "active"
  | "opted-out"
  | "deactivated"
  | "suspended"
  | "takendown"
  | "deleted"
  | "inactive";

export type Collection = "posts" | "likes" | "reposts" | "labels";

/** A span for which `source` has delivered everything; Unix milliseconds, `toMs` exclusive. */
export type CoverageInterval = {
  platform: Platform;
  collection: Collection;
  /** Null for all accounts. */
  account: string | null;
  /** For example `jetstream`, `import` or `backfill`. Adjacent intervals from the same source are merged. */
  source: string;
  fromMs: number;
  toMs: number;
};

export type WriteBatch = {
  changes: readonly ArchiveChange[];
  checkpoints?: readonly { name: string; value: string }[];
  coverage?: readonly CoverageInterval[];
};

/** Posts of one platform, from `preparePosts`. */
export type ImportBatch = {
  posts: PackedPosts | null;
  checkpoints: readonly { name: string; value: string }[];
  coverage: readonly CoverageInterval[];
};

export type WriteReport = {
  inserted: number;
  updated: number;
  /** Already stored in this or a later version, or seen in a stream, which imports do not overwrite. */
  unchanged: number;
  deleted: number;
  /** Not stored: deleted at a later revision, or too old to retain. */
  suppressed: number;
};

export type SearchRequest = {
  plan: PlanNode;
  platforms: readonly Platform[];
  /** Post times in Unix milliseconds, `toMs` exclusive; null means unbounded. */
  fromMs: number | null;
  toMs: number | null;
  after: Position | null;
  limit: number;
  /** Unix milliseconds. */
  deadlineMs: number;
  account?: string;
  maxListedSegments?: number;
};

export type SearchWork = {
  segmentsOfPlatforms: number;
  segmentsInWindow: number;
  segmentsOpened: number;
  /** Segment visits, counting each resumption after a yield. */
  slices: number;
  /** SQL statements: segment searches, and row lookups for candidates. */
  statements: number;
  candidates: number;
  rechecked: number;
  containers: number;
  returned: number;
  segments: readonly SegmentWork[];
};

export type SegmentWork = {
  platform: Platform;
  sequence: number;
  candidates: number;
  rechecked: number;
  containers: number;
  found: number;
  tookMs: number;
};

export type SearchAnswer = {
  positions: readonly Position[];
  /** Null when nothing older can match. */
  next: Position | null;
  /** False if the deadline passed before the search finished; it resumes at `next`. */
  complete: boolean;
  damage: readonly Damage[];
  work: SearchWork;
};

/**
 * Posts that may be missing because they or their index cannot be read. The span covers all of their
 * times; null means unbounded.
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
  /** Buckets start at multiples of this; the bounds may shorten the first and last. */
  bucketMs: number;
  deadlineMs: number;
  account?: string;
};

export type CountAnswer = {
  /** Only buckets with posts, oldest first. */
  buckets: readonly { fromMs: number; count: number }[];
  /** Counts are complete from here on: `fromMs` unless the deadline passed. */
  countedFromMs: number;
  damage: readonly Damage[];
  work: CountWork;
  coverage: readonly PlatformCoverage[];
};

export type CountWork = {
  segmentsInWindow: number;
  segmentsCached: number;
  segmentsOpened: number;
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
  fromMs: number | null;
  toMs: number | null;
  current: boolean;
  optimised: boolean;
  sealed: SealedStats | null;
};

export type SealedStats = {
  /** Unix milliseconds. */
  atMs: number;
  posts: number;
  bytes: number;
  replaced: number;
  delta: number;
  /** The segment is searched row by row until resealed. */
  damaged: boolean;
};

export type ArchiveStats = {
  segments: readonly SegmentStats[];
  catalogBytes: number;
  bytes: number;
  maxBytes: number;
  tombstones: number;
  accounts: number;
  labels: number;
  waitingCounts: number;
  lastIngestNumber: number;
  pendingRewrites: number;
  pendingSeals: number;
  retiredFiles: number;
  orphaned: { files: number; bytes: number };
  coverage: readonly PlatformCoverage[];
};

export type IngestedPost = Position & { number: number };

export type StoredRecords = { records: readonly string[]; damage: readonly Damage[] };
export type StoredPage = { body: Uint8Array; damage: readonly Damage[] };

export type CoveredAnswer = SearchAnswer & { coverage: readonly PlatformCoverage[] };

export type PlatformCoverage = {
  platform: Platform;
  intervals: readonly CoverageInterval[];
  hasPosts: boolean;
};

type ArchiveThreadLoad = ThreadLoad & { thread: ArchiveThreadName };

export type ArchiveThreadName = "writer" | "readers" | "compaction" | "languages";

/**
 * Runs on other threads, so that reads never wait for writes. Errors: `archive_unavailable`
 * (retryable) when a thread has died or a disk is full.
 */
export type Archive = {
  /**
   * Resolves when the batch is on disk. Batches run one at a time across all processes, in call
   * order. A failed batch fails those queued behind it, so that no checkpoint gets ahead of its data.
   */
  write(batch: WriteBatch): Promise<WriteReport>;
  preparation: PreparationSettings;
  /**
   * Runs in call order with `write`. Batches may be buffered until they fill a sealed segment; all
   * are on disk once `finishImport` resolves. Transfers the buffer of `posts`.
   */
  importPosts(batch: ImportBatch): Promise<WriteReport>;
  finishImport(): Promise<void>;
  search(request: SearchRequest, signal?: AbortSignal): Promise<CoveredAnswer>;
  records(positions: readonly Position[]): Promise<StoredRecords>;
  /** UTF-8 JSON, without deleted or damaged posts. */
  page(positions: readonly Position[]): Promise<StoredPage>;
  withheld(names: readonly FetchedName[]): Promise<readonly boolean[]>;
  resolve(names: QueryNames): Promise<ResolvedNames>;
  identify(posts: readonly UnknownPost[]): Promise<readonly IdentifiedPost[]>;
  withLanguages(posts: readonly Post[]): Promise<readonly Post[]>;
  count(request: CountRequest, signal?: AbortSignal): Promise<CountAnswer>;
  /**
   * Starts at the oldest entry if `after` is null. Errors: `ingest_order_dropped` if `after` precedes
   * the oldest retained entry.
   */
  ingestOrder(after: IngestedPost | null, limit: number): Promise<readonly IngestedPost[]>;
  /** Accounts that have stored posts and were last looked up before `beforeMs`, or never: those come first. */
  accountsToLookUp(platform: Platform, beforeMs: number, limit: number): Promise<readonly string[]>;
  /** The accounts that a folded username can refer to on any platform; at most 20. */
  accountsNamed(name: string): Promise<readonly NamedAccount[]>;
  aliases(
    platform: Platform,
    below: bigint | null,
    limit: number,
  ): Promise<readonly NamedPosition[]>;
  readCheckpoint(name: string): Promise<string | null>;
  coverage(): Promise<readonly PlatformCoverage[]>;
  stats(): Promise<ArchiveStats>;
  compactionState(): Promise<CompactionState | null>;
  onDamage(listener: (damage: readonly Damage[]) => void): void;
  /**
   * Resolves once the catalog is verified. All calls except `ping` and `load` wait for this.
   * Errors: `archive_damaged`, which all later calls then return.
   */
  verified(): Promise<void>;
  /** Resolves when a reader responds. Errors: those of `verified`, if it has failed. */
  ping(): Promise<void>;
  load(): readonly ArchiveThreadLoad[];
  close(): Promise<void>;
};

export type NamedAccount = { platform: Platform; handle: string };

export type FetchedName = { platform: Platform; uri: string | null; userId: string | null };

export type UnknownPost = { platform: Platform; uri: string; timeMs: number };

export type IdentifiedPost = { id: bigint; isStored: boolean };
