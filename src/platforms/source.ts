import type { Position } from "../archive/archive.ts";
import type { Platform } from "../posts/post.ts";
import type { Method, SourceType } from "./methods.ts";
import type { Bill } from "./session.ts";
import type { Target } from "./target.ts";
import type { FetchPosition } from "./upstream.ts";

/** `social` means all platforms. */
export type SearchPlatform = "social" | Platform;

/** `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
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
  /** Absent on a fetch method's first page. */
  position?: FetchPosition | null;
};

export type SourceWarning = {
  code: string;
  message: string;
  offset?: number;
  length?: number;
  hint?: string;
};

/** `toMs` exclusive; `fromMs` null is unbounded. */
type CoverageSpan = { fromMs: number | null; toMs: number };

export type UnsearchedSpan = CoverageSpan;

export type Coverage = {
  fromMs: number | null;
  toMs: number;
  complete: boolean;
  gaps: readonly CoverageSpan[];
  /** The oldest gaps are merged into one. */
  truncated?: boolean;
  /** Absent from older stored results. */
  platforms?: readonly CollectionCoverage[];
};

/**
 * Likes, reposts and labels that the query depends on: from the first relevant post to the time of
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

/** `month`: bill of the deployment's credentials (UTC); null without a budget. */
export type SourceCost = Bill & {
  microUsd: number;
  month: { name: string; postReads: number; maxPostReads: number } | null;
};

/**
 * Stored with the result. `record`: JSON. `id`: null unless a post. `uri` and `userId` identify what
 * was deleted or hidden since.
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
