import type { CoveredAnswer } from "../archive/archive.ts";
import type { PlatformQuery } from "../archive/read/platform-query.ts";
import type { Platform } from "../posts/post.ts";
import type { ResolvedNames } from "../query/make-plan.ts";
import type { PlanNode } from "../query/plan.ts";
import type { IdBounds, TimeWindow } from "../query/window.ts";

/** The steps of a search, in their order; `open` starts the reader's thread and opens the archive's catalog. */
export const steps = ["parse", "open", "resolve", "plan", "search", "fetch"] as const;
export type Step = (typeof steps)[number];

/** One run of a query and what it took. */
export type Analysis = {
  plan: PlanNode;
  names: ResolvedNames;
  /** What all matches lie in. */
  bounds: TimeWindow & IdBounds;
  /** What each platform's segments are asked; null where none of its posts can match. */
  asked: readonly { platform: Platform; query: PlatformQuery | null }[];
  limit: number;
  answer: CoveredAnswer;
  tookMs: Readonly<Record<Step, number>>;
};
