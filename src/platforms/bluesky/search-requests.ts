import type { ResolvedNames } from "../../query/make-plan.ts";
import type { QueryLeaf, QueryNode } from "../../query/tree.ts";
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

/** How a leaf is said; under a negation nothing of it can be. */
type Say = (leaf: QueryLeaf) => Asks;

/**
 * What to ask for so that every post which matches is among the answers, as far as the lexicon promises: what it cannot say is
 * left wider, and a negation always, since an index that finds more than the words that are meant would leave out too much.
 * An empty list when nothing on Bluesky can match; null when all that could be asked is for everything.
 */
export function asksFor(tree: QueryNode, names: ResolvedNames): readonly Ask[] | null {
  const asks = lower(tree, (leaf) => sayLeaf(leaf, names));
  return asks.some(isEverything) ? null : asks;
}

/**
 * The same where links are what makes the query narrow enough. Bluesky finds those to exactly one host, so that posts with links to
 * its subdomains may be missing: for when nothing else can be asked.
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

/** What a negation lets in: by De Morgan as far as that leads to something that can be said. */
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
