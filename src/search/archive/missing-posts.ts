import { accountById } from "@earshot/query/facets";
import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { CoverageInterval } from "../../archive/archive.ts";
import { gapsIn, platformWideIntervals } from "../../archive/catalog/coverage.ts";
import { intersectSpans, type Span, unionSpans } from "../../lib/spans.ts";
import type { Platform } from "../../posts/post.ts";

export type MissingPostsRequest = {
  platform: Platform;
  tree: QueryNode;
  names: ResolvedNames;
  window: Span;
  intervals: readonly CoverageInterval[];
  nowMs: number;
  slackMs: number;
};

const maxAccounts = 64;

/**
 * The parts of a window that may lack matching posts, oldest first. If every match is by one of a
 * few accounts, their coverage suffices.
 */
export function missingPosts(request: MissingPostsRequest): readonly Span[] {
  const { platform, window, intervals, nowMs, slackMs } = request;
  const missing = gapsIn(window, platformWideIntervals(intervals, "posts"), nowMs, slackMs);
  if (missing.length === 0) return missing;
  let intervalsByAccount: ReadonlyMap<string | null, readonly CoverageInterval[]> | null = null;

  function missingBy(name: string): readonly Span[] {
    if (!mayBeAccount(platform, name)) return [];
    const ids = accountIdsIn(request.names.accounts.get(name) ?? [], platform);
    if (ids.length === 0 || ids.length > maxAccounts) return missing;
    intervalsByAccount ??= byAccount(request);
    return unionSpans(
      ids.flatMap((id) =>
        intersectSpans(missing, gapsIn(window, intervalsByAccount?.get(id) ?? [], nowMs, slackMs)),
      ),
    );
  }

  function missingSpans(node: QueryNode, isNegated: boolean): readonly Span[] {
    switch (node.kind) {
      case "not":
        return missingSpans(node.child, !isNegated);
      case "and":
      case "or": {
        const parts = node.children.map((child) => missingSpans(child, isNegated));
        const isConjunction = (node.kind === "and") !== isNegated;
        return isConjunction ? intersectParts(parts, missing) : uniteParts(parts, missing);
      }
      case "platform":
        return (node.platform === platform) === isNegated ? [] : missing;
      case "from":
        return isNegated ? missing : missingBy(node.user);
      default:
        return missing;
    }
  }

  return missingSpans(request.tree, false);
}

const byAccount = ({ platform, intervals }: MissingPostsRequest) =>
  Map.groupBy(intervals, ({ collection, account }) =>
    collection === "posts" && account !== null ? accountById(platform, account) : null,
  );

const intersectParts = (
  parts: readonly (readonly Span[])[],
  missing: readonly Span[],
): readonly Span[] => parts.filter((part) => part !== missing).reduce(intersectSpans, missing);

const uniteParts = (
  parts: readonly (readonly Span[])[],
  missing: readonly Span[],
): readonly Span[] => (parts.includes(missing) ? missing : unionSpans(parts.flat()));

/** Names on X have no dots or colons; DIDs are Bluesky's. */
function mayBeAccount(platform: Platform, name: string): boolean {
  if (platform === "x") return /^\w+$/.test(name);
  return platform === "bluesky" || !name.startsWith("did:");
}

/** Keys that begin with `@` or `?` are handles; only imported posts have only a handle. */
function accountIdsIn(keys: readonly string[], platform: Platform): string[] {
  const start = `${platform}/`;
  return keys.filter((key) => key.startsWith(start) && !/^[@?]/.test(key.slice(start.length)));
}
