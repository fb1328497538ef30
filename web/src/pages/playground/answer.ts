import type { Platform } from "@earshot/query/tree";
import type { Source } from "../../coverage-text.ts";

type TimeSpan = { from: string | null; to: string };

export type CollectionCoverage = {
  platform: Platform;
  collection: "posts" | "likes" | "reposts" | "labels";
  complete: boolean;
  held: readonly TimeSpan[];
  gaps: readonly TimeSpan[];
};

export type Coverage = {
  from: string | null;
  to: string;
  complete: boolean;
  gaps: readonly TimeSpan[];
  platforms: readonly CollectionCoverage[];
};

type Warning = { code: string; message: string; hint?: string; offset?: number };

/** The fields that the page reads; any may be missing. */
type Metadata = {
  kind?: string;
  platform?: Platform;
  url?: string | null;
  created_at?: string | null;
  username?: string | null;
  author?: string | null;
  origin?: string;
  public_metrics?: {
    reply_count?: number | null;
    retweet_count?: number | null;
    like_count?: number | null;
  } | null;
};

export type PostRecord = { ID: string; Content: string; Metadata: Metadata | null; Score: number };

export type SearchAnswer = {
  uuid: string;
  results: readonly PostRecord[];
  next_cursor: string | null;
  complete: boolean;
  coverage: Coverage;
  sources: readonly Source[];
  warnings: readonly Warning[];
  canonical_query: string;
};

export type CountsAnswer = {
  data: readonly { start: string; end: string; tweet_count: number }[];
  meta: { total_tweet_count: number; next_token?: string };
  complete: boolean;
  coverage: Coverage;
};
