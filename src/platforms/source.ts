import type { Position } from "../archive/archive.ts";
import type { Platform } from "../posts/post.ts";
import type { Method, SourceType } from "./methods.ts";
import type { Bill } from "./session.ts";
import type { Target } from "./target.ts";
import type { FetchPosition } from "./upstream.ts";

/** `social` means all platforms. */
export type SearchPlatform = "social" | Platform;

/** `fromMs` is inclusive (null means unbounded), `toMs` exclusive. */
export type SourceRequest = {
  platform: SearchPlatform;
  query: string;
  fromMs: number | null;
  toMs: number;
  asOfMs: number;
  after: Position | null;
  maxResults: number;
};

export type AnswerRequest = SourceRequest & {
  type: SourceType;
  method: Method;
  target?: Target | null;
  /** Absent on the first page of a fetch method. */
  position?: FetchPosition | null;
};

export type SourceWarning = {
  code: string;
  message: string;
  offset?: number;
  length?: number;
  hint?: string;
};

/** `fromMs` is inclusive (null means unbounded), `toMs` exclusive. */
type CoverageSpan = { fromMs: number | null; toMs: number };

export type UnsearchedSpan = CoverageSpan;

export type Coverage = {
  fromMs: number | null;
  toMs: number;
  complete: boolean;
  gaps: readonly CoverageSpan[];
  /** The oldest gaps were merged into one. */
  truncated?: boolean;
  /** Absent from older stored results. */
  platforms?: readonly CollectionCoverage[];
};

/**
 * Coverage of a collection on which the query depends, from the first relevant post to the time of
 * the search.
 */
export type CollectionCoverage = {
  platform: Platform;
  collection: "posts" | "likes" | "reposts" | "labels";
  complete: boolean;
  held: readonly CoverageSpan[];
  gaps: readonly CoverageSpan[];
  truncated: boolean;
};

export const accessMethods = ["archive", "credential", "api", "public"] as const;
export type AccessMethod = (typeof accessMethods)[number];

export type SourcePart = {
  platform: Platform;
  via: AccessMethod;
  fromMs: number | null;
  toMs: number;
  count: number;
  cost?: SourceCost;
};

/** `month`: the bill of the deployment's credentials this month (UTC); null without a budget. */
export type SourceCost = Bill & {
  microUsd: number;
  month: { name: string; postReads: number; maxPostReads: number } | null;
};

/**
 * Stored with the result. `record` is JSON. `id` is null unless the item is a post. `uri` and
 * `userId` identify items deleted or hidden since.
 */
export type FetchedItem = {
  platform: Platform;
  id: bigint | null;
  uri: string | null;
  userId: string | null;
  record: string;
};

export type AnswerItem = Position | FetchedItem;

export const isFetched = (item: AnswerItem): item is FetchedItem => "record" in item;

export const isArchived = (item: AnswerItem): item is Position => !isFetched(item);

export type SourceAnswer = {
  items: readonly AnswerItem[];
  next: Position | null;
  nextPosition?: FetchPosition | null;
  /** No match in the window is missing. */
  complete: boolean;
  coverage: Coverage;
  sources: readonly SourcePart[];
  warnings: readonly SourceWarning[];
};
