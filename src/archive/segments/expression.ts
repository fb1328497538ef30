import type { PlanNode } from "../../query/plan.ts";
import { everyPost } from "../../text/facets.ts";
import type { SequenceElement } from "../../text/sequence.ts";

/**
 * A lowered plan as an FTS5 expression; null when it holds for every post. FTS5 has no unary NOT and refuses deep nesting, so
 * the negative children of a conjunction become one `NOT (a OR b …)`, and what has no positive child starts from the token
 * that every post carries.
 */
export function expression(plan: PlanNode): string | null {
  switch (plan.kind) {
    case "all":
      return null;
    case "terms":
      return sequence(plan.elements);
    case "not":
      return conjunction([plan]);
    case "and":
      return conjunction(plan.children);
    case "or":
      return plan.children.map(operand).join(" OR ");
    default:
      throw new Error(`a lowered plan holds no ${plan.kind}`);
  }
}

function conjunction(children: readonly PlanNode[]): string {
  const positive = children.filter((child) => child.kind !== "not").map(operand);
  const negative = children
    .filter((child) => child.kind === "not")
    .map((child) => operand(child.child));
  const base = positive.length > 0 ? positive.join(" AND ") : quoted(everyPost);
  if (negative.length === 0) return base;
  return `(${base}) NOT (${negative.join(" OR ")})`;
}

function operand(plan: PlanNode): string {
  const text = expression(plan) ?? quoted(everyPost);
  return plan.kind === "terms" ? text : `(${text})`;
}

function sequence(elements: readonly SequenceElement[]): string {
  const tokens = elements.map((element) => {
    if (element.kind === "token") return element.token;
    if (element.kind === "prefix") return element.prefix;
    throw new Error("a lowered plan holds no open place");
  });
  const text = quoted(tokens.join(" "));
  return elements.at(-1)?.kind === "prefix" ? `${text} *` : text;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
