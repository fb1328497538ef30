import { allOf, anyOf, type Expression, isExpressible, printExpression } from "./expression.ts";

/** Drops exclusions, then dependent, then redundant standalone terms, the longest first. */
export function shortenExpression(expression: Expression, max: number): Expression | null {
  let shortened: Expression | null = expression;
  while (shortened !== null && printExpression(shortened).length > max)
    shortened = dropOne(shortened);
  return shortened;
}

function dropOne(expression: Expression): Expression | null {
  if (expression.kind === "and") return dropPart(expression.parts) ?? shortenOnePart(expression);
  return expression.kind === "or" ? shortenOnePart(expression) : null;
}

function dropPart(parts: readonly Expression[]): Expression | null {
  const needsStandalone = parts.some(isExpressible);
  const byPriority = parts
    .map((part, index) => ({ part, index, length: printExpression(part).length }))
    .sort((a, b) => partPriority(a.part) - partPriority(b.part) || b.length - a.length);
  for (const { part, index } of byPriority) {
    const remainingParts = parts.toSpliced(index, 1);
    const canDrop = needsStandalone ? remainingParts.some(isExpressible) : partPriority(part) === 0;
    if (canDrop) return allOf(remainingParts);
  }
  return null;
}

function partPriority(part: Expression): number {
  if (part.kind === "term" && part.isNegated) return 0;
  return isExpressible(part) ? 2 : 1;
}

function shortenOnePart(expression: Expression & { kind: "and" | "or" }): Expression | null {
  const { kind, parts } = expression;
  const byLength = [...parts.keys()].sort((a, b) => lengthAt(parts, b) - lengthAt(parts, a));
  for (const index of byLength) {
    const part = parts[index];
    const shorterPart = part === undefined ? null : dropOne(part);
    if (shorterPart === null) continue;
    const shortenedParts = parts.with(index, shorterPart);
    return kind === "and" ? allOf(shortenedParts) : anyOf(shortenedParts);
  }
  return null;
}

function lengthAt(parts: readonly Expression[], index: number): number {
  const part = parts[index];
  return part === undefined ? 0 : printExpression(part).length;
}
