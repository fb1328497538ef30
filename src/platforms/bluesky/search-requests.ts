import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryLeaf, QueryNode } from "@earshot/query/tree";
import {
  allPosts,
  type BlueskyRequest,
  type BlueskyRequests,
  intersectRequests,
  isUnconditional,
  noPosts,
  unionRequests,
} from "./search-alternatives.ts";
import { requestsForHost, requestsForLeaf } from "./search-leaf.ts";

type LowerLeaf = (leaf: QueryLeaf) => BlueskyRequests;

/**
 * Together, the requests find every match. Negated terms are dropped, because the index also
 * matches other forms. Empty if nothing on Bluesky can match; null if a request would have to cover
 * all posts.
 */
export function requestsFor(
  tree: QueryNode,
  names: ResolvedNames,
): readonly BlueskyRequest[] | null {
  const requests = lower(tree, (leaf) => requestsForLeaf(leaf, names));
  return requests.some(isUnconditional) ? null : requests;
}

/** Also uses link hosts, which Bluesky matches exactly, so links to subdomains may be missing. */
export function narrowRequestsFor(
  tree: QueryNode,
  names: ResolvedNames,
): readonly BlueskyRequest[] | null {
  const requests = lower(tree, (leaf) => requestsForHost(leaf) ?? requestsForLeaf(leaf, names));
  return requests.some(isUnconditional) ? null : requests;
}

function lower(tree: QueryNode, lowerLeaf: LowerLeaf): BlueskyRequests {
  switch (tree.kind) {
    case "and":
      return intersectRequests(tree.children.map((child) => lower(child, lowerLeaf)));
    case "or":
      return unionRequests(tree.children.map((child) => lower(child, lowerLeaf)));
    case "not":
      return lowerNegated(tree.child, lowerLeaf);
    default:
      return lowerLeaf(tree);
  }
}

/** De Morgan's laws, as far as the API can express them. */
function lowerNegated(tree: QueryNode, lowerLeaf: LowerLeaf): BlueskyRequests {
  switch (tree.kind) {
    case "and":
      return unionRequests(tree.children.map((child) => lowerNegated(child, lowerLeaf)));
    case "or":
      return intersectRequests(tree.children.map((child) => lowerNegated(child, lowerLeaf)));
    case "not":
      return lower(tree.child, lowerLeaf);
    case "platform":
      return tree.platform === "bluesky" ? noPosts : allPosts;
    default:
      return allPosts;
  }
}
