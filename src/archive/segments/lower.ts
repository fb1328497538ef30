import { cellsOfCircle } from "../../posts/geo.ts";
import type { Platform } from "../../posts/post.ts";
import { countThresholds } from "../../posts/terms.ts";
import { all, any, not } from "../../query/make-plan.ts";
import type { PlanNode } from "../../query/plan.ts";
import { atLeast, geoCell, hasGeo } from "../../text/facets.ts";
import type { SequenceElement } from "../../text/sequence.ts";

/**
 * What FTS5 can answer of a plan. It knows terms alone: times, counts and circles become the tokens that come closest.
 * A leaf that it cannot say exactly is lowered to a superset, under a negation to a subset, so that the whole never leaves out
 * a post that matches; `exact` tells when it lets none in either, and the matcher need not look again.
 */
export type Lowered = { plan: PlanNode; exact: boolean };

type Side = "superset" | "subset";

/**
 * The plan in terms alone, for posts of one platform: its nodes are all, none, and, or, not and sequences of tokens.
 * The nodes stand in the order in which the matcher of `posts/` has them, which says what each means.
 */
export function lower(plan: PlanNode, platform: Platform, mostCells?: number): Lowered {
  return lowerTo("superset", plan, { platform, mostCells });
}

/** `mostCells` bounds the cells of a circle; one that has more is lowered to all posts with a place. */
type Lowering = { platform: Platform; mostCells: number | undefined };

function lowerTo(side: Side, plan: PlanNode, lowering: Lowering): Lowered {
  switch (plan.kind) {
    case "all":
    case "none":
      return { plan, exact: true };
    case "and":
    case "or": {
      const children = plan.children.map((child) => lowerTo(side, child, lowering));
      const decisive = plan.kind === "and" ? "none" : "all";
      const decided = children.find((child) => child.exact && child.plan.kind === decisive);
      if (decided !== undefined) return decided;
      const plans = children.map((child) => child.plan);
      return {
        plan: plan.kind === "and" ? all(plans) : any(plans),
        exact: children.every((child) => child.exact),
      };
    }
    case "not": {
      const child = lowerTo(side === "superset" ? "subset" : "superset", plan.child, lowering);
      return { plan: not(child.plan), exact: child.exact };
    }
    case "terms":
      return lowerSequence(side, plan.elements);
    case "time":
    case "id":
      return { plan: side === "superset" ? { kind: "all" } : { kind: "none" }, exact: false };
    case "platform":
      return { plan: { kind: plan.platform === lowering.platform ? "all" : "none" }, exact: true };
    case "min-count":
      return lowerCount(side, plan);
    case "geo":
      return lowerCircle(side, plan, lowering.mostCells);
  }
}

/** FTS5 has no "any one token": around it, the parts of the sequence must all be there; so must those of one that repeats itself. */
function lowerSequence(side: Side, elements: readonly SequenceElement[]): Lowered {
  const parts = partsOf(elements);
  if (parts.length === 1 && parts[0]?.length === elements.length) {
    return { plan: { kind: "terms", elements }, exact: true };
  }
  if (side === "subset") return { plan: { kind: "none" }, exact: false };
  return { plan: all(parts.map((part) => ({ kind: "terms", elements: part }))), exact: false };
}

/** How often a token of a sequence is matched: each time costs a walk through all its posts. */
const mostRepeats = 2;

/** The longest runs of a sequence without open positions and without tokens that came up so often before. */
function partsOf(elements: readonly SequenceElement[]): SequenceElement[][] {
  const seen = new Map<string, number>();
  const parts: SequenceElement[][] = [[]];
  for (const element of elements) {
    if (isMatched(element, seen)) parts.at(-1)?.push(element);
    else parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

function isMatched(element: SequenceElement, seen: Map<string, number>): boolean {
  if (element.kind === "any") return false;
  const key = element.kind === "token" ? element.token : `${element.prefix}*`;
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times <= mostRepeats;
}

/** Posts carry a token for each threshold they reach: the next one below is a superset, the next one above a subset. */
function lowerCount(side: Side, plan: PlanNode & { kind: "min-count" }): Lowered {
  const below = countThresholds.findLast((threshold) => threshold <= plan.atLeast);
  const above = countThresholds.find((threshold) => threshold >= plan.atLeast);
  const threshold = side === "superset" ? below : above;
  const outside: PlanNode = side === "superset" ? { kind: "all" } : { kind: "none" };
  if (threshold === undefined) return { plan: outside, exact: false };
  return {
    plan: tokenPlan(atLeast(plan.metric, threshold)),
    exact: threshold === plan.atLeast,
  };
}

/** Posts carry the token of the cell they lie in: those that a circle touches are a superset. */
function lowerCircle(
  side: Side,
  { lat, lon, radiusKm }: PlanNode & { kind: "geo" },
  mostCells?: number,
): Lowered {
  if (side === "subset") return { plan: { kind: "none" }, exact: false };
  const cells = cellsOfCircle(lat, lon, radiusKm, mostCells);
  const touched = cells === null ? [hasGeo] : cells.map(geoCell);
  return { plan: any(touched.map(tokenPlan)), exact: false };
}

const tokenPlan = (token: string): PlanNode => ({
  kind: "terms",
  elements: [{ kind: "token", token }],
});
