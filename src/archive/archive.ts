import type { ThreadLoad } from "../lib/thread.ts";
import type { Platform, Post } from "../posts/post.ts";
import type { QueryNames, ResolvedNames } from "../query/make-plan.ts";
import type { PlanNode } from "../query/plan.ts";
import type { CountMetric } from "../query/tree.ts";
import type { PackedPosts } from "./bulk/packed-posts.ts";
import type { PreparationSettings } from "./bulk/prepare-posts.ts";
import type { CompactionState } from "./compaction-state.ts";

/** A post's place in the one order of all answers: newest ID first, platforms by name within one ID. */
export type Position = {
  id: bigint;
  platform: Platform;
  /** Of the post's uri, where a page starts after it: orders the posts of its millisecond on every server (`posts/ids.ts`). */
  uriHash?: string;
};

/** A post by another name, such as its id on one server; names of deleted posts are kept for a while. */
export type NamedPosition = Position & { name: string; isHeld: boolean };

export type ArchiveChange =
  /** `alias` is another name that a deletion may come by; it leads to the post for as long as that is held. */
  | { kind: "upsert"; post: Post; alias?: string }
  /** `revision` is the one that deleted it: only a later one may bring the post back. */
  | { kind: "delete"; platform: Platform; uri: string; revision: string }
  /** The same by an alias or the uri; of a post that is not held nothing is noted. */
  | { kind: "delete-held"; platform: Platform; name: string; revision: string }
  | {
      kind: "handle";
      platform: Platform;
      userId: string;
      handle: string;
      observedMs: number;
    }
  /** Reactions that were seen, added to what is known of a post; of a post that is not held nothing is kept. */
  | { kind: "count"; platform: Platform; uri: string; metric: CountMetric; by: number }
  /** What its host says of an account: the latest counts. All but `active` and `deleted` hide its posts, reversibly. */
  | {
      kind: "account";
      platform: Platform;
      userId: string;
      status: AccountStatus;
      observedMs: number;
    }
  /** What an account says of itself: the name it shows and the labels it gave itself, all of them. The latest counts. */
  | {
      kind: "profile";
      platform: Platform;
      userId: string;
      name: string | null;
      labels: readonly string[];
      observedMs: number;
    }
  /** Of one source, subject and value the label made last counts; `negated` takes it back. */
  | {
      kind: "label";
      platform: Platform;
      /** A post's uri, or an account's id. */
      subject: string;
      /** Who says so: an account id. */
      source: string;
      value: string;
      negated: boolean;
      createdMs: number;
      expiresMs: number | null;
    }
  /** An account was asked for; what was found comes as other changes, and it is not asked for again for a while. */
  | { kind: "looked-up"; platform: Platform; userId: string; atMs: number };

/**
 * `inactive` stands for every reason that has no word here. `opted-out` has asked that strangers do not find its posts: it is
 * noted of accounts that are known here alone, as most of a network may have.
 */
export type AccountStatus =
  | "active"
  | "opted-out"
  | "deactivated"
  | "suspended"
  | "takendown"
  | "deleted"
  | "inactive";

/** What can be held completely, or not: posts, the events that posts' counts are made of, and labels. */
export type Collection = "posts" | "likes" | "reposts" | "labels";

/** A span that a source holds completely, Unix milliseconds, `toMs` exclusive. */
export type CoverageInterval = {
  platform: Platform;
  collection: Collection;
  /** The one account whose posts are held; null where everybody's are. */
  account: string | null;
  /** `jetstream`, `import`, `backfill` …: intervals of one source that touch are merged. */
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

/** Posts to import, all of one platform, which `preparePosts` has prepared. */
export type ImportBatch = {
  /** Null for none. */
  posts: PackedPosts | null;
  checkpoints: readonly { name: string; value: string }[];
  coverage: readonly CoverageInterval[];
};

export type WriteReport = {
  inserted: number;
  updated: number;
  /** Already held in this or a later version, or held as observed where the batch only imports. */
  unchanged: number;
  deleted: number;
  /** Kept out because the post was deleted at a later revision, or because posts of its time have aged out. */
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
  /** Whose search it is: accounts share the readers. Searches without one count as one account's. */
  account?: string;
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
  /** How often a segment was searched: once, and once more each time others had their turn. */
  slices: number;
  /** Searches of segments, and rows read to check a candidate. */
  statements: number;
  /** Posts that the index named. */
  candidates: number;
  /** Candidates whose row was read, as the index could not say for certain whether they match. */
  rechecked: number;
  /** Containers of sealed indexes that were looked at: what a search costs where it is not told by candidates. */
  containers: number;
  returned: number;
  /** In the order of the visits; no more than the request asks for. */
  segments: readonly SegmentWork[];
};

export type SegmentWork = {
  platform: Platform;
  sequence: number;
  candidates: number;
  rechecked: number;
  containers: number;
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
  damage: readonly Damage[];
  work: SearchWork;
};

/**
 * Posts of a segment that may be missing from an answer, as they, or what they are found by, cannot be read. The times of all of
 * them lie in the span, Unix milliseconds; null is unbounded.
 */
export type Damage = {
  platform: Platform;
  sequence: number;
  fromMs: number | null;
  toMs: number | null;
};

/** How many posts match, bucket by bucket. */
export type CountRequest = {
  plan: PlanNode;
  platforms: readonly Platform[];
  /** Inclusive and exclusive bounds of the post's time, Unix milliseconds. */
  fromMs: number;
  toMs: number;
  /** Buckets begin at multiples of it, counted from the Unix epoch; the first and the last are cut by the bounds. */
  bucketMs: number;
  /** Unix milliseconds; looked at between two segments. */
  deadlineMs: number;
  /** Whose count it is, as of a search. */
  account?: string;
};

export type CountAnswer = {
  /** Buckets with any match, oldest first. */
  buckets: readonly { fromMs: number; count: number }[];
  /** From here on everything has been counted; equals `fromMs` of the request unless the deadline came first. */
  countedFromMs: number;
  damage: readonly Damage[];
  work: CountWork;
  held: readonly PlatformCoverage[];
};

export type CountWork = {
  segmentsInWindow: number;
  /** Answered without a statement, as nothing in them has changed since they were counted. */
  segmentsCached: number;
  segmentsOpened: number;
  /** How often a segment was counted in: once, and once more each time others had their turn. */
  slices: number;
  statements: number;
};

/** One segment file. */
export type SegmentStats = {
  platform: Platform;
  sequence: number;
  posts: number;
  imported: number;
  /** Posts that an account state or a label hides. */
  hidden: number;
  bytes: number;
  /** Times of its first and its last post, by their IDs where these tell one, Unix milliseconds; null where there is no post. */
  fromMs: number | null;
  toMs: number | null;
  /** Whether its terms were made by this analyzer; else it is searched row by row until it is rewritten. */
  current: boolean;
  optimised: boolean;
  /** Null where it is not sealed. */
  sealed: SealedStats | null;
};

/** What a segment was sealed with, and what has come of that. */
export type SealedStats = {
  /** Unix milliseconds. */
  atMs: number;
  posts: number;
  /** What that index took on disk when it was made. */
  bytes: number;
  /** Posts of that index that were deleted or written anew since. */
  replaced: number;
  /** Posts that were written since: FTS5 answers for them. */
  overlay: number;
  /** Whether that index cannot be used: the segment is searched row by row until it is made anew. */
  damaged: boolean;
};

export type ArchiveStats = {
  segments: readonly SegmentStats[];
  catalogBytes: number;
  /** Everything in the archive's folder. */
  bytes: number;
  maxBytes: number;
  tombstones: number;
  accounts: number;
  labels: number;
  /** Count changes that wait to be added to their posts. */
  waitingCounts: number;
  /** The newest arrival number. */
  arrival: number;
  /** Segments that wait to be rewritten, as somebody wanted it. */
  wantedRewrites: number;
  /** Segments that wait to be sealed, as somebody wanted it. */
  wantedSeals: number;
  /** Files that are no segments any more and wait to be removed, or are being made. */
  retiredFiles: number;
  /** Segment files that belong to no segment, and were set aside. */
  orphaned: { files: number; bytes: number };
  held: readonly PlatformCoverage[];
};

/** A place in the order of arrival. */
export type IngestedPost = Position & { number: number };

export type StoredRecords = { records: readonly string[]; damage: readonly Damage[] };
export type StoredPage = { body: Uint8Array; damage: readonly Damage[] };

/** What the archive held completely just before it was searched: posts that came in between are found, not counted on. */
export type CoveredAnswer = SearchAnswer & { held: readonly PlatformCoverage[] };

export type PlatformCoverage = {
  platform: Platform;
  intervals: readonly CoverageInterval[];
  /** Whether any post of the platform is held. */
  holdsPosts: boolean;
};

type ArchiveThreadLoad = ThreadLoad & {
  thread: "writer" | "readers" | "upkeep" | "languages";
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
  /** What `preparePosts` needs to prepare posts for this archive. */
  preparation: PreparationSettings;
  /**
   * Writes prepared posts in one step with the rest of the batch, in the order of all calls. A batch may be gathered with others
   * until they fill a sealed segment: it is on disk once `finishImport` resolves. The posts are moved, not copied.
   */
  importPosts(batch: ImportBatch): Promise<WriteReport>;
  /** Puts on disk what `importPosts` was given. */
  finishImport(): Promise<void>;
  /** Rejects with the signal's reason when that aborts, and the thread that searches stops. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<CoveredAnswer>;
  /** The stored records of these posts as JSON texts, in order; posts deleted since, and damaged ones, are left out. */
  records(positions: readonly Position[]): Promise<StoredRecords>;
  /** The same as one JSON array, in UTF-8: put together where it is read, so that the event loop only sends it. */
  page(positions: readonly Position[]): Promise<StoredPage>;
  /** Of what upstreams gave, in order: whether it was deleted or hidden, so that it is not to be shown. */
  withheld(names: readonly FetchedName[]): Promise<readonly boolean[]>;
  /** What names that a query uses can stand for: accounts by handle or id, posts by ID, uri or address. */
  resolve(names: QueryNames): Promise<ResolvedNames>;
  /** The IDs of posts that came from elsewhere, in order. */
  identify(posts: readonly UnknownPost[]): Promise<readonly Identified[]>;
  /** The same posts, each with the language of its text where its source names none, as it would get it when it is held. */
  withLanguages(posts: readonly Post[]): Promise<readonly Post[]>;
  /** How many posts match in each stretch of time. */
  count(request: CountRequest, signal?: AbortSignal): Promise<CountAnswer>;
  /**
   * The posts that arrived after a place, in the order of their arrival, whatever their times; null begins with the oldest
   * one known. Errors: `arrivals_forgotten` where the place is older than what is remembered.
   */
  arrivals(after: IngestedPost | null, limit: number): Promise<readonly IngestedPost[]>;
  /** Accounts of a platform whose posts are held and that were not asked for since `beforeMs`, those never asked for first. */
  accountsToLookUp(platform: Platform, beforeMs: number, limit: number): Promise<readonly string[]>;
  /** The accounts that a folded username without a platform can name, by their present handles; a few dozen at most. */
  accountsNamed(name: string): Promise<readonly NamedAccount[]>;
  /** The aliases that posts came with, those of the newest posts first: of posts with a lower ID than `below`, or of all. */
  aliases(
    platform: Platform,
    below: bigint | null,
    limit: number,
  ): Promise<readonly NamedPosition[]>;
  readCheckpoint(name: string): Promise<string | null>;
  coverage(): Promise<readonly PlatformCoverage[]>;
  stats(): Promise<ArchiveStats>;
  /** What the archive's upkeep does; null where this process does none. */
  upkeep(): Promise<CompactionState | null>;
  /** Calls `listener` with the damage of each answer that has any, for as long as the archive is open. */
  onDamage(listener: (damage: readonly Damage[]) => void): void;
  /**
   * Resolves once the catalog is verified, which every call but `answers` and `load` waits for. Errors: `archive_damaged`; every
   * later call rejects with it, too.
   */
  verified(): Promise<void>;
  /** Resolves when a reader answers, also before the catalog is verified. Errors: those of `verified`, once they are known. */
  answers(): Promise<void>;
  /** What its threads are at, those of one kind together. */
  load(): readonly ArchiveThreadLoad[];
  close(): Promise<void>;
};

/** An account by the handle that it was last seen with; `user@host` on Mastodon. */
export type NamedAccount = { platform: Platform; handle: string };

/** Something that an upstream gave: a post by its uri, and the account that it is of, or which it is. */
export type FetchedName = { platform: Platform; uri: string | null; userId: string | null };

/** A post that came from elsewhere. `timeMs` as `postTimeMs` tells it. */
export type UnknownPost = { platform: Platform; uri: string; timeMs: number };

/** The ID of a post here: the one that it is held under, else the one that it would get. */
export type Identified = { id: bigint; isHeld: boolean };
