import type { SequenceElement } from "@earshot/query/text";

export function matchesSequence(
  elements: readonly SequenceElement[],
  tokens: readonly string[],
): boolean {
  return tokens.some((_, start) =>
    elements.every((element, index) => accepts(element, tokens[start + index])),
  );
}

function accepts(element: SequenceElement, token: string | undefined): boolean {
  if (token === undefined) return false;
  if (element.kind === "any") return true;
  return element.kind === "prefix" ? token.startsWith(element.prefix) : token === element.token;
}
