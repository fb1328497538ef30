/**
 * A query in the operators of the API v2, or what is left of one: `all` where X cannot say it, so that everything may match;
 * `none` where no post on X can. A `term` that is not standalone needs one beside it that is. Groups are never negated.
 */
export type Expression =
  | { kind: "all" }
  | { kind: "none" }
  | Term
  | { kind: "and" | "or"; parts: readonly Expression[] };

export type Term = { kind: "term"; text: string; isStandalone: boolean; isNegated: boolean };

export const everything: Expression = { kind: "all" };
export const nothing: Expression = { kind: "none" };

export const standalone = (text: string): Term => ({
  kind: "term",
  text,
  isStandalone: true,
  isNegated: false,
});

/** A term that X takes only together with a standalone one. */
export const dependent = (text: string): Term => ({
  kind: "term",
  text,
  isStandalone: false,
  isNegated: false,
});

export const negation = (term: Term): Term => ({ ...term, isNegated: true });

export function allOf(parts: readonly Expression[]): Expression {
  const flat = parts
    .flatMap((part) => (part.kind === "and" ? part.parts : [part]))
    .filter(({ kind }) => kind !== "all");
  if (flat.some(({ kind }) => kind === "none")) return nothing;
  return joined("and", flat, everything);
}

/** X takes no alternative that only excludes: with one the whole is left wide. */
export function anyOf(parts: readonly Expression[]): Expression {
  const flat = parts
    .flatMap((part) => (part.kind === "or" ? part.parts : [part]))
    .filter(({ kind }) => kind !== "none");
  if (!flat.every(hasPositive)) return everything;
  return joined("or", flat, nothing);
}

function joined(kind: "and" | "or", parts: readonly Expression[], ofNone: Expression): Expression {
  const unique = [...new Map(parts.map((part) => [printed(part), part])).values()];
  const [first] = unique;
  if (first === undefined) return ofNone;
  return unique.length === 1 ? first : { kind, parts: unique };
}

/** Whether it asks for something, and does not only exclude. */
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

/** Whether X takes it as a query: whatever alternative is chosen, a standalone term is asked for. */
export function isSayable(expression: Expression): boolean {
  switch (expression.kind) {
    case "all":
    case "none":
      return false;
    case "term":
      return expression.isStandalone && !expression.isNegated;
    case "and":
      return expression.parts.some(isSayable);
    case "or":
      return expression.parts.every(isSayable);
  }
}

/** The query as X reads it. Parentheses stand around every group within another. */
export function printed(expression: Expression): string {
  switch (expression.kind) {
    case "all":
    case "none":
      return "";
    case "term":
      return `${expression.isNegated ? "-" : ""}${expression.text}`;
    case "and":
      return expression.parts.map(printedPart).join(" ");
    case "or":
      return expression.parts.map(printedPart).join(" OR ");
  }
}

function printedPart(part: Expression): string {
  const text = printed(part);
  return part.kind === "and" || part.kind === "or" ? `(${text})` : text;
}
