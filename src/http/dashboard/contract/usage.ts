import type { Method } from "../../../platforms/methods.ts";

/** GET /dashboard/api/usage. */
export type UsageRange = "24h" | "7d" | "30d";
export type UsageResponse = {
  range: UsageRange;
  from: string;
  to: string;
  bucket_ms: number;
  totals: UsageTotals;
  /** Oldest first, including empty buckets. */
  buckets: readonly UsageBucket[];
  methods: readonly (UsageTotals & { method: Method })[];
  keys: readonly { id: string; name: string; ended: boolean }[];
};
export type UsageTotals = {
  /** `refused` ones exceeded a rate limit, `failed` ones got 5xx. */
  requests: number;
  refused: number;
  failed: number;
  searches: number;
  searches_failed: number;
  posts: number;
  /** Null without searches. */
  p50_ms: number | null;
  p99_ms: number | null;
};
export type UsageBucket = {
  start: string;
  requests: number;
  refused: number;
  failed: number;
  searches: number;
  p50_ms: number | null;
  p99_ms: number | null;
};
