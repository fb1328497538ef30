import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import { type Alternatives, type Atom, lowerLeaf, negationAtoms } from "./search-atoms.ts";

/** Each alternative costs one search. */
const maxAlternatives = 8;
const maxAtoms = 24;

/**
 * Mastodon has no OR. Every match satisfies one alternative; there is none if nothing can match.
 */
export function lowerTree(tree: QueryNode, names: ResolvedNames): Alternatives {
  return lower(tree, true, names).map((atoms) => distinct(atoms).slice(0, maxAtoms));
}

function lower(node: QueryNode, isPositive: boolean, names: ResolvedNames): Alternatives {
  switch (node.kind) {
    case "not":
      return lower(node.child, !isPositive, names);
    case "and":
    case "or": {
      const children = node.children.map((child) => lower(child, isPositive, names));
      // De Morgan's laws.
      return (node.kind === "and") === isPositive
        ? intersectAlternatives(children)
        : unionAlternatives(children);
    }
    default:
      return isPositive ? lowerLeaf(node, names) : negationAtoms(node);
  }
}

/** Drops the largest parts, which only widens the search. */
function intersectAlternatives(parts: readonly Alternatives[]): Alternatives {
  if (parts.some((part) => part.length === 0)) return [];
  return parts
    .toSorted((a, b) => a.length - b.length)
    .reduce<Alternatives>(
      (product, part) =>
        product.length * part.length > maxAlternatives
          ? product
          : product.flatMap((atoms) => part.map((more) => [...atoms, ...more])),
      [[]],
    );
}

function unionAlternatives(parts: readonly Alternatives[]): Alternatives {
  const alternatives = parts.flat();
  if (alternatives.some((atoms) => atoms.length === 0)) return [[]];
  const merged = distinctAlternatives(alternatives);
  return merged.length > maxAlternatives ? [[]] : merged;
}

function distinctAlternatives(alternatives: Alternatives): Alternatives {
  const byKey = new Map(alternatives.map((atoms) => [makeKey(atoms), atoms]));
  return [...byKey.values()];
}

const makeKey = (atoms: readonly Atom[]): string =>
  atoms
    .map(({ kind, text }) => `${kind} ${text}`)
    .toSorted()
    .join("\n");

const distinct = (atoms: readonly Atom[]): Atom[] => [
  ...new Map(atoms.map((atom) => [`${atom.kind} ${atom.text}`, atom])).values(),
];
