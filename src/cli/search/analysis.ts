import type { IdBounds, PlanNode, ResolvedNames, TimeWindow } from "@earshot/query/plan";
import type { CoveredAnswer } from "../../archive/archive.ts";
import type { PlatformQuery } from "../../archive/read/platform-query.ts";
import type { Platform } from "../../posts/post.ts";

export const analysisSteps = ["parse", "open", "resolve", "plan", "search", "fetch"] as const;
export type AnalysisStep = (typeof analysisSteps)[number];

export type Analysis = {
  plan: PlanNode;
  names: ResolvedNames;
  bounds: TimeWindow & IdBounds;
  /** Null if no post can match. */
  queries: readonly { platform: Platform; query: PlatformQuery | null }[];
  limit: number;
  answer: CoveredAnswer;
  tookMs: Readonly<Record<AnalysisStep, number>>;
};
