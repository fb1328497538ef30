/**
 * API v2 operators. `all`: X cannot express the condition, so everything may match. `none`: no post
 * on X matches. A `term` that is not standalone needs one that is in the same conjunction. Groups
 * are never negated.
 */
export type Expression =
  | { kind: "all" }
  | { kind: "none" }
  | Term
  | { kind: "and" | "or"; parts: readonly Expression[] };

export type Term = { kind: "term"; text: string; isStandalone: boolean; isNegated: boolean };

export const matchAll: Expression = { kind: "all" };
export const matchNone: Expression = { kind: "none" };

export const standaloneTerm = (text: string): Term => ({
  kind: "term",
  text,
  isStandalone: true,
  isNegated: false,
});

export const dependentTerm = (text: string): Term => ({
  kind: "term",
  text,
  isStandalone: false,
  isNegated: false,
});

export const negation = (term: Term): Term => ({ ...term, isNegated: true });

export function allOf(parts: readonly Expression[]): Expression {
  const flatParts = parts
    .flatMap((part) => (part.kind === "and" ? part.parts : [part]))
    .filter(({ kind }) => kind !== "all");
  if (flatParts.some(({ kind }) => kind === "none")) return matchNone;
  return combine("and", flatParts, matchAll);
}

/**
 * X rejects alternatives that consist only of exclusions, so one widens the whole to everything.
 */
export function anyOf(parts: readonly Expression[]): Expression {
  const flatParts = parts
    .flatMap((part) => (part.kind === "or" ? part.parts : [part]))
    .filter(({ kind }) => kind !== "none");
  if (!flatParts.every(hasPositive)) return matchAll;
  return combine("or", flatParts, matchNone);
}

function combine(
  kind: "and" | "or",
  parts: readonly Expression[],
  emptyResult: Expression,
): Expression {
  const uniqueParts = [...new Map(parts.map((part) => [printExpression(part), part])).values()];
  const [first] = uniqueParts;
  if (first === undefined) return emptyResult;
  return uniqueParts.length === 1 ? first : { kind, parts: uniqueParts };
}

function hasPositive(expression: Expression): boolean {
  switch (expression.kind) {
    case "all":
    case "none":
      return false;
    case "term":
      return !expression.isNegated;
    case "and":
      return expression.parts.some(hasPositive);
    case "or":
      return expression.parts.every(hasPositive);
  }
}

/** X requires a standalone term in every alternative. */
export function isExpressible(expression: Expression): boolean {
  switch (expression.kind) {
    case "all":
    case "none":
      return false;
    case "term":
      return expression.isStandalone && !expression.isNegated;
    case "and":
      return expression.parts.some(isExpressible);
    case "or":
      return expression.parts.every(isExpressible);
  }
}

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case "all":
    case "none":
      return "";
    case "term":
      return `${expression.isNegated ? "-" : ""}${expression.text}`;
    case "and":
      return expression.parts.map(printPart).join(" ");
    case "or":
      return expression.parts.map(printPart).join(" OR ");
  }
}

function printPart(part: Expression): string {
  const text = printExpression(part);
  return part.kind === "and" || part.kind === "or" ? `(${text})` : text;
}
