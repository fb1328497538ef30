import { allOf, anyOf, type Expression, isExpressible, printExpression } from "./expression.ts";

/** Drops exclusions, then dependent terms, starting with the longest of each. */
export function shortenedExpression(expression: Expression, max: number): Expression | null {
  let short: Expression | null = expression;
  while (short !== null && printExpression(short).length > max) short = withoutOne(short);
  return short;
}

function withoutOne(expression: Expression): Expression | null {
  if (expression.kind === "and") return withoutPart(expression.parts) ?? withinParts(expression);
  return expression.kind === "or" ? withinParts(expression) : null;
}

function withoutPart(parts: readonly Expression[]): Expression | null {
  const needsStandalone = parts.some(isExpressible);
  const byPriority = parts
    .map((part, index) => ({ part, index, length: printExpression(part).length }))
    .sort((a, b) => partPriority(a.part) - partPriority(b.part) || b.length - a.length);
  for (const { part, index } of byPriority) {
    const others = parts.toSpliced(index, 1);
    const canDrop = needsStandalone ? others.some(isExpressible) : partPriority(part) === 0;
    if (canDrop) return allOf(others);
  }
  return null;
}

function partPriority(part: Expression): number {
  if (part.kind === "term" && part.isNegated) return 0;
  return isExpressible(part) ? 2 : 1;
}

function withinParts(expression: Expression & { kind: "and" | "or" }): Expression | null {
  const { kind, parts } = expression;
  const byLength = [...parts.keys()].sort((a, b) => lengthAt(parts, b) - lengthAt(parts, a));
  for (const index of byLength) {
    const part = parts[index];
    const shorter = part === undefined ? null : withoutOne(part);
    if (shorter === null) continue;
    const shortened = parts.with(index, shorter);
    return kind === "and" ? allOf(shortened) : anyOf(shortened);
  }
  return null;
}

function lengthAt(parts: readonly Expression[], index: number): number {
  const part = parts[index];
  return part === undefined ? 0 : printExpression(part).length;
}
