import { everyPostFacet } from "@earshot/query/facets";
import type { PlanNode } from "@earshot/query/plan";
import type { SequenceElement } from "@earshot/query/text";

/**
 * Converts a lowered plan to an FTS5 expression; null if it matches every post.
 *
 * FTS5 has no unary NOT, so the negated children of a conjunction become one `NOT (a OR b …)`,
 * after the token of every post if there are no other children. FTS5's parser has a stack of a
 * hundred symbols, so the most deeply nested operand comes first.
 */
export function expression(plan: PlanNode): string | null {
  return plan.kind === "all" ? null : compile(plan);
}

function compile(plan: PlanNode): string {
  switch (plan.kind) {
    case "all":
      return quotedToken(everyPostFacet);
    case "terms":
      return sequence(plan.elements);
    case "not":
      return conjunction([plan]);
    case "and":
      return conjunction(plan.children);
    case "or":
      return deepestFirst(plan.children).map(operand).join(" OR ");
    default:
      throw new Error(`a lowered plan cannot contain ${plan.kind}`);
  }
}

function conjunction(children: readonly PlanNode[]): string {
  const positivePlans = deepestFirst(children.filter((child) => child.kind !== "not"));
  const negatedPlans = deepestFirst(
    children.flatMap((child) => (child.kind === "not" ? [child.child] : [])),
  );
  const base =
    positivePlans.length > 0
      ? positivePlans.map(operand).join(" AND ")
      : quotedToken(everyPostFacet);
  if (negatedPlans.length === 0) return base;
  const negation = negatedPlans.map(operand).join(" OR ");
  return `${positivePlans.length > 1 ? `(${base})` : base} NOT ${negatedPlans.length > 1 ? `(${negation})` : negation}`;
}

const operand = (plan: PlanNode): string =>
  plan.kind === "terms" ? sequence(plan.elements) : `(${compile(plan)})`;

function deepestFirst(plans: readonly PlanNode[]): PlanNode[] {
  return plans
    .map((plan) => ({ plan, depth: planDepth(plan) }))
    .sort((a, b) => b.depth - a.depth)
    .map(({ plan }) => plan);
}

function planDepth(plan: PlanNode): number {
  if (plan.kind === "not") return 1 + planDepth(plan.child);
  if (plan.kind !== "and" && plan.kind !== "or") return 0;
  return 1 + Math.max(...plan.children.map(planDepth));
}

function sequence(elements: readonly SequenceElement[]): string {
  const tokens = elements.map((element) => {
    if (element.kind === "token") return element.token;
    if (element.kind === "prefix") return element.prefix;
    throw new Error("a lowered plan cannot contain a wildcard");
  });
  const text = quotedToken(tokens.join(" "));
  return elements.at(-1)?.kind === "prefix" ? `${text} *` : text;
}

export const quotedToken = (text: string): string => `"${text.replaceAll('"', '""')}"`;
