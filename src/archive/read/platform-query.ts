import { atLeast, geoCell, geoFacet } from "@earshot/query/facets";
import { gridCellsInCircle } from "@earshot/query/match";
import { all, any, type extractBounds, not, type PlanNode } from "@earshot/query/plan";
import type { SequenceElement } from "@earshot/query/text";
import type { Platform } from "../../posts/post.ts";
import { countThresholds } from "../../posts/terms.ts";
import { sealedQuery } from "../sealed/sealed-query.ts";
import { expression } from "../segments/expression.ts";
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
  const loweredConjuncts = conjuncts.map((conjunct) => ({
    conjunct,
    ...lower(conjunct, platform, maxCells),
  }));
  const loweredPlan = all(loweredConjuncts.map(({ plan }): PlanNode => plan));
  if (loweredPlan.kind === "none") return null;
  if (fromMs !== null && toMs !== null && fromMs >= toMs) return null;
  return {
    expression: expression(loweredPlan),
    sealed: sealedQuery(loweredPlan),
    whole: all(conjuncts),
    residual: all(loweredConjuncts.filter(({ exact }) => !exact).map(({ conjunct }) => conjunct)),
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

/**
 * The part of a plan that FTS5 can match: a superset, or a subset under a negation. Counts and
 * circles become the closest tokens; times and IDs become `all` or `none`. If `exact`, the matcher
 * need not check the posts.
 */
export type LoweredPlan = { plan: PlanNode; exact: boolean };

type Approximation = "superset" | "subset";

/** The returned plan consists of `all`, `none`, `and`, `or`, `not` and `terms`. */
export function lower(plan: PlanNode, platform: Platform, maxCells?: number): LoweredPlan {
  return lowerTo("superset", plan, { platform, maxCells });
}

type LoweringOptions = { platform: Platform; maxCells: number | undefined };

function lowerTo(
  approximation: Approximation,
  plan: PlanNode,
  options: LoweringOptions,
): LoweredPlan {
  switch (plan.kind) {
    case "all":
    case "none":
      return { plan, exact: true };
    case "and":
    case "or": {
      const children = plan.children.map((child) => lowerTo(approximation, child, options));
      const absorbingKind = plan.kind === "and" ? "none" : "all";
      const absorbingChild = children.find(
        (child) => child.exact && child.plan.kind === absorbingKind,
      );
      if (absorbingChild !== undefined) return absorbingChild;
      const plans = children.map((child) => child.plan);
      return {
        plan: plan.kind === "and" ? all(plans) : any(plans),
        exact: children.every((child) => child.exact),
      };
    }
    case "not": {
      const child = lowerTo(
        approximation === "superset" ? "subset" : "superset",
        plan.child,
        options,
      );
      return { plan: not(child.plan), exact: child.exact };
    }
    case "terms":
      return lowerSequence(approximation, plan.elements);
    case "time":
    case "id":
      return {
        plan: approximation === "superset" ? { kind: "all" } : { kind: "none" },
        exact: false,
      };
    case "platform":
      return { plan: { kind: plan.platform === options.platform ? "all" : "none" }, exact: true };
    case "min-count":
      return lowerCount(approximation, plan);
    case "geo":
      return lowerCircle(approximation, plan, options.maxCells);
  }
}

/**
 * Splits the sequence at "any one token", which FTS5 cannot match, and at tokens repeated too
 * often.
 */
function lowerSequence(
  approximation: Approximation,
  elements: readonly SequenceElement[],
): LoweredPlan {
  const parts = splitSequence(elements);
  if (parts.length === 1 && parts[0]?.length === elements.length) {
    return { plan: { kind: "terms", elements }, exact: true };
  }
  if (approximation === "subset") return { plan: { kind: "none" }, exact: false };
  return { plan: all(parts.map((part) => ({ kind: "terms", elements: part }))), exact: false };
}

const maxRepeats = 2;

function splitSequence(elements: readonly SequenceElement[]): SequenceElement[][] {
  const counts = new Map<string, number>();
  const parts: SequenceElement[][] = [[]];
  for (const element of elements) {
    const key = repeatKey(element);
    const repeats = key === null ? 0 : (counts.get(key) ?? 0) + 1;
    if (key !== null) counts.set(key, repeats);
    if (key !== null && repeats <= maxRepeats) parts.at(-1)?.push(element);
    else parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

function repeatKey(element: SequenceElement): string | null {
  if (element.kind === "any") return null;
  return element.kind === "token" ? element.token : `${element.prefix}*`;
}

function lowerCount(
  approximation: Approximation,
  plan: PlanNode & { kind: "min-count" },
): LoweredPlan {
  const lowerThreshold = countThresholds.findLast((threshold) => threshold <= plan.atLeast);
  const upperThreshold = countThresholds.find((threshold) => threshold >= plan.atLeast);
  const threshold = approximation === "superset" ? lowerThreshold : upperThreshold;
  const fallback: PlanNode = approximation === "superset" ? { kind: "all" } : { kind: "none" };
  if (threshold === undefined) return { plan: fallback, exact: false };
  return {
    plan: tokenPlan(atLeast(plan.metric, threshold)),
    exact: threshold === plan.atLeast,
  };
}

function lowerCircle(
  approximation: Approximation,
  { lat, lon, radiusKm }: PlanNode & { kind: "geo" },
  maxCells?: number,
): LoweredPlan {
  if (approximation === "subset") return { plan: { kind: "none" }, exact: false };
  const cells = gridCellsInCircle(lat, lon, radiusKm, maxCells);
  const tokens = cells === null ? [geoFacet] : cells.map(geoCell);
  return { plan: any(tokens.map(tokenPlan)), exact: false };
}

const tokenPlan = (token: string): PlanNode => ({
  kind: "terms",
  elements: [{ kind: "token", token }],
});
