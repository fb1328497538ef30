import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryLeaf, QueryNode } from "@earshot/query/tree";
import {
  type Ask,
  type Asks,
  both,
  either,
  everything,
  isEverything,
  nothing,
} from "./search-alternatives.ts";
import { sayHost, sayLeaf } from "./search-leaf.ts";

type Say = (leaf: QueryLeaf) => Asks;

/**
 * Requests that together find every match, as far as the lexicon promises. Negated terms are dropped: the index also matches
 * other forms and would exclude too much. Empty if nothing on Bluesky can match; null if the requests would have to cover
 * everything.
 */
export function asksFor(tree: QueryNode, names: ResolvedNames): readonly Ask[] | null {
  const asks = lower(tree, (leaf) => sayLeaf(leaf, names));
  return asks.some(isEverything) ? null : asks;
}

/**
 * Like `asksFor`, but also uses link hosts, as a last resort: Bluesky matches exactly one host, so posts with links to its
 * subdomains may be missing.
 */
export function narrowAsksFor(tree: QueryNode, names: ResolvedNames): readonly Ask[] | null {
  const asks = lower(tree, (leaf) => sayHost(leaf) ?? sayLeaf(leaf, names));
  return asks.some(isEverything) ? null : asks;
}

function lower(tree: QueryNode, say: Say): Asks {
  switch (tree.kind) {
    case "and":
      return both(tree.children.map((child) => lower(child, say)));
    case "or":
      return either(tree.children.map((child) => lower(child, say)));
    case "not":
      return lowerNegated(tree.child, say);
    default:
      return say(tree);
  }
}

/** Negates by De Morgan as far as the API can express the result. */
function lowerNegated(tree: QueryNode, say: Say): Asks {
  switch (tree.kind) {
    case "and":
      return either(tree.children.map((child) => lowerNegated(child, say)));
    case "or":
      return both(tree.children.map((child) => lowerNegated(child, say)));
    case "not":
      return lower(tree.child, say);
    case "platform":
      return tree.platform === "bluesky" ? nothing : everything;
    default:
      return everything;
  }
}
