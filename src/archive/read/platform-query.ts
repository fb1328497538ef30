import { all, type extractBounds, type PlanNode } from "@earshot/query/plan";
import type { Platform } from "../../posts/post.ts";
import { sealedQuery } from "../sealed/sealed-query.ts";
import { expression } from "../segments/expression.ts";
import { lower } from "../segments/lower.ts";
import { rowScanQuery } from "../segments/row-scan.ts";
import type { SegmentQuery } from "../segments/search-segment.ts";

export type BoundedPlan = ReturnType<typeof extractBounds>;

export type PlatformQuery = Omit<SegmentQuery, "skew" | "lastWrittenInCommit">;

export function rowScanPlatformQuery(
  platform: Platform,
  window: BoundedPlan,
): PlatformQuery | null {
  const query = platformQuery(platform, window);
  return query && { ...rowScanQuery(query), sealed: { kind: "every" } };
}

export function platformQuery(
  platform: Platform,
  { conjuncts, fromMs, toMs }: BoundedPlan,
): PlatformQuery | null {
  const maxCells = getMaxCells(conjuncts);
  const lowered = conjuncts.map((conjunct) => ({
    conjunct,
    ...lower(conjunct, platform, maxCells),
  }));
  const whole = all(lowered.map(({ plan }): PlanNode => plan));
  if (whole.kind === "none") return null;
  if (fromMs !== null && toMs !== null && fromMs >= toMs) return null;
  return {
    expression: expression(whole),
    sealed: sealedQuery(whole),
    whole: all(conjuncts),
    residual: all(lowered.filter(({ exact }) => !exact).map(({ conjunct }) => conjunct)),
    fromMs,
    toMs,
  };
}

const maxCircleTerms = 256;

const getMaxCells = (plans: readonly PlanNode[]): number | undefined => {
  const circles = countCircles(plans);
  return circles < 5 ? undefined : Math.floor(maxCircleTerms / circles);
};

function countCircles(plans: readonly PlanNode[]): number {
  return plans.reduce((total, plan) => {
    if (plan.kind === "geo") return total + 1;
    if (plan.kind === "not") return total + countCircles([plan.child]);
    return plan.kind === "and" || plan.kind === "or" ? total + countCircles(plan.children) : total;
  }, 0);
}
