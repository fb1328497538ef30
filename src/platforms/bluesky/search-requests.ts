import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryLeaf, QueryNode } from "@earshot/query/tree";
import {
  allParts,
  allPosts,
  anyAlternative,
  isEverything,
  noPosts,
  type Request,
  type Requests,
} from "./search-alternatives.ts";
import { reportHost, reportLeaf } from "./search-leaf.ts";

type Report = (leaf: QueryLeaf) => Requests;

/**
 * Requests that together find every match. Negated terms are dropped: the index also matches other forms. Empty if nothing on
 * Bluesky can match; null if they would have to cover everything.
 */
export function requestsFor(tree: QueryNode, names: ResolvedNames): readonly Request[] | null {
  const requests = lower(tree, (leaf) => reportLeaf(leaf, names));
  return requests.some(isEverything) ? null : requests;
}

/**
 * Also uses link hosts: Bluesky matches exactly one host, so links to subdomains may be missing.
 */
export function narrowRequestsFor(
  tree: QueryNode,
  names: ResolvedNames,
): readonly Request[] | null {
  const requests = lower(tree, (leaf) => reportHost(leaf) ?? reportLeaf(leaf, names));
  return requests.some(isEverything) ? null : requests;
}

function lower(tree: QueryNode, report: Report): Requests {
  switch (tree.kind) {
    case "and":
      return allParts(tree.children.map((child) => lower(child, report)));
    case "or":
      return anyAlternative(tree.children.map((child) => lower(child, report)));
    case "not":
      return lowerNegated(tree.child, report);
    default:
      return report(tree);
  }
}

/** De Morgan, as far as the API can express it. */
function lowerNegated(tree: QueryNode, report: Report): Requests {
  switch (tree.kind) {
    case "and":
      return anyAlternative(tree.children.map((child) => lowerNegated(child, report)));
    case "or":
      return allParts(tree.children.map((child) => lowerNegated(child, report)));
    case "not":
      return lower(tree.child, report);
    case "platform":
      return tree.platform === "bluesky" ? noPosts : allPosts;
    default:
      return allPosts;
  }
}
