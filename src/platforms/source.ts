import type { Position } from "../archive/archive.ts";
import type { Platform } from "../posts/post.ts";
import type { Method, SourceType } from "./methods.ts";
import type { Bill } from "./session.ts";
import type { Target } from "./target.ts";
import type { FetchPosition } from "./upstream.ts";

/** `social` stands for all platforms. */
export type SearchPlatform = "social" | Platform;

/** What a source is asked. Times are Unix milliseconds, `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
export type SourceRequest = {
  platform: SearchPlatform;
  query: string;
  fromMs: number | null;
  toMs: number;
  /** When the search was submitted, its first page: `within_time:` counts back from it. */
  asOfMs: number;
  after: Position | null;
  maxResults: number;
};

/** What a job asks of the sources: a search, or a method that fetches what its `target` names. */
export type AnswerRequest = SourceRequest & {
  type: SourceType;
  method: Method;
  /** Whom or what a method that does not search asks about; absent where it needs none. */
  target?: Target | null;
  /** Where such a method goes on at its platform; absent on its first page. */
  place?: FetchPosition | null;
};

/** A remark that travels with an answer: something the caller should know, not a fault. */
export type SourceWarning = {
  code: string;
  message: string;
  offset?: number;
  length?: number;
  hint?: string;
};

/** A span of time, Unix milliseconds, `toMs` exclusive; `fromMs` null is unbounded. */
type CoverageSpan = { fromMs: number | null; toMs: number };

/** A part of the time that a search asks for which its method does not search; `fromMs` null is unbounded. */
export type UnsearchedSpan = CoverageSpan;

/** What the sources hold of a window. */
export type Coverage = {
  fromMs: number | null;
  toMs: number;
  complete: boolean;
  /** Of all platforms together, oldest first. */
  gaps: readonly CoverageSpan[];
  /** Whether the oldest gaps are listed as one, with what is held between them. */
  truncated?: boolean;
  /** Each platform by itself; absent from results that were stored before this was told. */
  platforms?: readonly CollectionCoverage[];
};

/**
 * What is held of a collection of a platform: of its posts within the window; of its likes, reposts and labels, where the query
 * depends on them, from the first post that they matter for to the moment of the search.
 */
export type CollectionCoverage = {
  platform: Platform;
  collection: "posts" | "likes" | "reposts" | "labels";
  complete: boolean;
  held: readonly CoverageSpan[];
  gaps: readonly CoverageSpan[];
  truncated: boolean;
};

/** How a part of an answer was come by: from what is held, with an account's credential, an application's token, or openly. */
export const accessMethods = ["archive", "credential", "api", "public"] as const;
export type AccessMethod = (typeof accessMethods)[number];

/** Which part of an answer came from where. */
export type SourcePart = {
  platform: Platform;
  via: AccessMethod;
  fromMs: number | null;
  toMs: number;
  count: number;
  /** What it was billed at; absent where nothing is. */
  cost?: SourceCost;
};

/** `month` stands for what this deployment's credentials were billed for in the month (UTC); null where no budget binds. */
export type SourceCost = Bill & {
  microUsd: number;
  month: { name: string; postReads: number; mostPostReads: number } | null;
};

/**
 * Something that an upstream gave, kept with the result for as long as that is. `record` is the record of the API as JSON text.
 * `id` is the post's ID; null for what is no post. `uri` is the post's, and `userId` the account's: what was deleted or hidden
 * meanwhile is told by them.
 */
export type FetchedItem = {
  platform: Platform;
  id: bigint | null;
  uri: string | null;
  userId: string | null;
  record: string;
};

/** One thing of an answer: a post that the archive holds, filled in when it is shown, or what an upstream gave. */
export type AnswerItem = Position | FetchedItem;

export const isFetched = (item: AnswerItem): item is FetchedItem => "record" in item;

export const isArchived = (item: AnswerItem): item is Position => !isFetched(item);

export type SourceAnswer = {
  items: readonly AnswerItem[];
  /** Where a search goes on; null when nothing follows. */
  next: Position | null;
  /** Where a method that does not search goes on at its platform; absent or null when it does not. */
  nextPlace?: FetchPosition | null;
  /** Whether everything in the window that matches has been looked for where it is held completely. */
  complete: boolean;
  coverage: Coverage;
  sources: readonly SourcePart[];
  warnings: readonly SourceWarning[];
};
