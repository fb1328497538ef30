import type { Position } from "../archive/archive.ts";
import type { Platform } from "../posts/post.ts";

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

/** Which part of an answer came from where. */
type SourcePart = {
  platform: Platform;
  via: "archive";
  fromMs: number | null;
  toMs: number;
  count: number;
};

export type SourceAnswer = {
  positions: readonly Position[];
  next: Position | null;
  /** Whether everything in the window that matches has been looked for where it is held completely. */
  complete: boolean;
  coverage: Coverage;
  sources: readonly SourcePart[];
  warnings: readonly SourceWarning[];
};
