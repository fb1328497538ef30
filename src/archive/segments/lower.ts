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
export function lower(plan: PlanNode, platform: Platform): Lowered {
  return lowerTo("superset", plan, platform);
}

function lowerTo(side: Side, plan: PlanNode, platform: Platform): Lowered {
  switch (plan.kind) {
    case "all":
    case "none":
      return { plan, exact: true };
    case "and":
    case "or": {
      const children = plan.children.map((child) => lowerTo(side, child, platform));
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
      const child = lowerTo(side === "superset" ? "subset" : "superset", plan.child, platform);
      return { plan: not(child.plan), exact: child.exact };
    }
    case "terms":
      return lowerSequence(side, plan.elements);
    case "time":
    case "id":
      return { plan: side === "superset" ? { kind: "all" } : { kind: "none" }, exact: false };
    case "platform":
      return { plan: { kind: plan.platform === platform ? "all" : "none" }, exact: true };
    case "min-count":
      return lowerCount(side, plan);
    case "geo":
      return lowerCircle(side, plan);
  }
}

/** FTS5 has no "any one token": around it, the parts of the sequence must all be there. */
function lowerSequence(side: Side, elements: readonly SequenceElement[]): Lowered {
  if (elements.every((element) => element.kind !== "any")) {
    return { plan: { kind: "terms", elements }, exact: true };
  }
  if (side === "subset") return { plan: { kind: "none" }, exact: false };
  const parts: SequenceElement[][] = [[]];
  for (const element of elements) {
    if (element.kind === "any") parts.push([]);
    else parts.at(-1)?.push(element);
  }
  const sequences = parts
    .filter((part) => part.length > 0)
    .map((part): PlanNode => ({ kind: "terms", elements: part }));
  return { plan: all(sequences), exact: false };
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
function lowerCircle(side: Side, { lat, lon, radiusKm }: PlanNode & { kind: "geo" }): Lowered {
  if (side === "subset") return { plan: { kind: "none" }, exact: false };
  const cells = cellsOfCircle(lat, lon, radiusKm);
  const touched = cells === null ? [hasGeo] : cells.map(geoCell);
  return { plan: any(touched.map(tokenPlan)), exact: false };
}

const tokenPlan = (token: string): PlanNode => ({
  kind: "terms",
  elements: [{ kind: "token", token }],
});
