import { all, any, not, type PlanNode } from "@earshot/query/plan";
import type { SequenceElement } from "@earshot/query/text";
import { isPositionalTerm } from "../../src/archive/sealed/sealed-query.ts";

export type TreeVocabulary = {
  /** Each list has words of similar frequency. */
  classes: readonly (readonly string[])[];
  texts: readonly (readonly string[])[];
};

export type Random = () => number;

const integerBelow = (random: Random, below: number): number => Math.floor(random() * below);

function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[integerBelow(random, items.length)];
  if (item === undefined) throw new Error("nothing to draw from");
  return item;
}

export function drawTree(words: TreeVocabulary, random: Random, depth: number): PlanNode {
  const kind = random();
  if (depth === 0 || kind < 0.3) return leaf(words, random);
  const child = (): PlanNode => drawTree(words, random, depth - 1);
  const children = (max: number): PlanNode[] =>
    Array.from({ length: 2 + integerBelow(random, max - 1) }, child);
  if (kind < 0.62) return { kind: "and", children: children(3) };
  if (kind < 0.84) return { kind: "or", children: children(random() < 0.1 ? 20 : 3) };
  return { kind: "not", child: child() };
}

function leaf(words: TreeVocabulary, random: Random): PlanNode {
  const kind = random();
  if (kind < 0.6) return sequence([drawWord(words, random)]);
  if (kind < 0.84) return sequence(realPhrase(words, random));
  if (kind < 0.94) {
    const drawnWords = Array.from({ length: 2 + integerBelow(random, 3) }, () =>
      drawWord(words, random),
    );
    // Facets are single terms.
    return sequence(
      drawnWords.length > 1 && drawnWords.every(isPositionalTerm)
        ? drawnWords
        : drawnWords.slice(0, 1),
    );
  }
  if (kind < 0.98)
    return prefixSequence(realPhrase(words, random).slice(-1 - integerBelow(random, 3)), random);
  return sequence([`nosuchword${integerBelow(random, 10)}`]);
}

function drawWord({ classes, texts }: TreeVocabulary, random: Random): string {
  const nonEmptyClasses = classes.filter((list) => list.length > 0);
  return nonEmptyClasses.length > 0
    ? oneOf(random, oneOf(random, nonEmptyClasses))
    : oneOf(random, texts.flat());
}

function realPhrase({ texts }: TreeVocabulary, random: Random): string[] {
  const tokens = oneOf(random, texts);
  const length = 2 + integerBelow(random, 3);
  const from = integerBelow(random, Math.max(1, tokens.length - length + 1));
  return tokens.slice(from, from + length);
}

const sequence = (tokens: readonly string[]): PlanNode => ({
  kind: "terms",
  elements: tokens.map((token): SequenceElement => ({ kind: "token", token })),
});

function prefixSequence(tokens: readonly string[], random: Random): PlanNode {
  const characters = Array.from(tokens.at(-1) ?? "");
  const prefixLength = Math.min(
    characters.length,
    3 + integerBelow(random, Math.max(1, characters.length - 2)),
  );
  const prefix = characters.slice(0, prefixLength).join("");
  const precedingTokens = facetNames.some((name) => name.startsWith(prefix))
    ? []
    : tokens.slice(0, -1);
  return {
    kind: "terms",
    elements: [
      ...precedingTokens.map((token): SequenceElement => ({ kind: "token", token })),
      { kind: "prefix", prefix },
    ],
  };
}

/** Facets occur only as single terms, because they have no positions. */
const facetNames = [
  ...["from:", "to:", "lang:", "domain:", "label:", "source:", "conversation:", "reply:"],
  ...["quoted:", "reposted:", "quoted-user:", "reposted-user:", "is:", "has:", "geo:", "face:"],
  ...["likes>=", "reposts>=", "replies>=", "quotes>="],
];

/** Smaller variants, the smallest first. */
export function smallerTrees(tree: PlanNode): PlanNode[] {
  switch (tree.kind) {
    case "not":
      return [tree.child, ...smallerTrees(tree.child).map(not)];
    case "and":
    case "or": {
      const { children } = tree;
      const join = tree.kind === "and" ? all : any;
      const withoutChild = children.map((_, index) => join(children.toSpliced(index, 1)));
      const withSmallerChild = children.flatMap((child, index) =>
        smallerTrees(child).map((less) => join(children.with(index, less))),
      );
      return [...children, ...withoutChild, ...withSmallerChild];
    }
    case "terms":
      return tree.elements.length < 2
        ? []
        : tree.elements.map((_, index) => ({
            kind: "terms",
            elements: tree.elements.toSpliced(index, 1),
          }));
    default:
      return [];
  }
}

export function printTree(tree: PlanNode): string {
  switch (tree.kind) {
    case "and":
      return `(${tree.children.map(printTree).join(" AND ")})`;
    case "or":
      return `(${tree.children.map(printTree).join(" OR ")})`;
    case "not":
      return `-${printTree(tree.child)}`;
    case "terms":
      return `"${tree.elements.map(printElement).join(" ")}"`;
    default:
      return tree.kind;
  }
}

function printElement(element: SequenceElement): string {
  if (element.kind === "token") return element.token;
  return element.kind === "prefix" ? `${element.prefix}…` : "*";
}
