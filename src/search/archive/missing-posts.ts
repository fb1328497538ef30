import { accountById } from "@earshot/query/facets";
import type { ResolvedNames } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { Collection, CoverageInterval } from "../../archive/archive.ts";
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
  const windowGaps = gapsIn(window, platformWideIntervals(intervals, "posts"), nowMs, slackMs);
  if (windowGaps.length === 0) return windowGaps;
  let intervalsByAccount: ReadonlyMap<string | null, readonly CoverageInterval[]> | null = null;

  function accountGaps(name: string): readonly Span[] {
    if (!mayBeAccount(platform, name)) return [];
    const ids = accountIdsIn(request.names.accounts.get(name) ?? [], platform);
    if (ids.length === 0 || ids.length > maxAccounts) return windowGaps;
    intervalsByAccount ??= groupByAccount(request);
    return unionSpans(
      ids.flatMap((id) =>
        intersectSpans(
          windowGaps,
          gapsIn(window, intervalsByAccount?.get(id) ?? [], nowMs, slackMs),
        ),
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
        return isConjunction ? intersectParts(parts, windowGaps) : uniteParts(parts, windowGaps);
      }
      case "platform":
        return (node.platform === platform) === isNegated ? [] : windowGaps;
      case "from":
        return isNegated ? windowGaps : accountGaps(node.user);
      default:
        return windowGaps;
    }
  }

  return missingSpans(request.tree, false);
}

const groupByAccount = ({ platform, intervals }: MissingPostsRequest) =>
  Map.groupBy(intervals, ({ collection, account }) =>
    collection === "posts" && account !== null ? accountById(platform, account) : null,
  );

const intersectParts = (
  parts: readonly (readonly Span[])[],
  windowGaps: readonly Span[],
): readonly Span[] =>
  parts.filter((part) => part !== windowGaps).reduce(intersectSpans, windowGaps);

const uniteParts = (
  parts: readonly (readonly Span[])[],
  windowGaps: readonly Span[],
): readonly Span[] => (parts.includes(windowGaps) ? windowGaps : unionSpans(parts.flat()));

/** Handles on X have no dots or colons; only Bluesky has DIDs. */
function mayBeAccount(platform: Platform, name: string): boolean {
  if (platform === "x") return /^\w+$/.test(name);
  return platform === "bluesky" || !name.startsWith("did:");
}

/** Keys that begin with `@` or `?` are handles; only imported posts have a handle without an id. */
function accountIdsIn(keys: readonly string[], platform: Platform): string[] {
  const prefix = `${platform}/`;
  return keys.filter((key) => key.startsWith(prefix) && !/^[@?]/.test(key.slice(prefix.length)));
}

export type MutableCollection = "likes" | "reposts" | "replies" | "quotes" | "labels";

const collections: Readonly<Record<MutableCollection, Collection>> = {
  likes: "likes",
  reposts: "reposts",
  replies: "posts",
  quotes: "posts",
  labels: "labels",
};

export function mutableCollectionsIn(tree: QueryNode): ReadonlySet<MutableCollection> {
  const collections = new Set<MutableCollection>();
  const visit = (node: QueryNode): void => {
    if (node.kind === "and" || node.kind === "or") node.children.forEach(visit);
    else if (node.kind === "not") visit(node.child);
    else for (const collection of mutableCollectionsInLeaf(node)) collections.add(collection);
  };
  visit(tree);
  return collections;
}

function mutableCollectionsInLeaf(
  leaf: Exclude<QueryNode, { kind: "and" | "or" | "not" }>,
): readonly MutableCollection[] {
  if (leaf.kind === "min-count") return leaf.atLeast > 0 ? [leaf.metric] : [];
  if (leaf.kind === "label") return ["labels"];
  if (leaf.kind !== "property") return [];
  if (leaf.property === "safe") return ["labels"];
  return leaf.property === "has_engagement" ? ["likes", "reposts", "replies"] : [];
}

/** Counts are added after a minute, and a labeler may be silent for a while. */
const minSlackMs = 300_000;

export type MutableCoverage = {
  what: MutableCollection;
  collection: Collection;
  span: Span;
  gaps: readonly Span[];
};

/**
 * Spans extend to the present, because a post can be liked at any time. Empty for a platform with
 * only imports.
 */
export function mutableCoverage(
  mutableCollections: ReadonlySet<MutableCollection>,
  { window, intervals, nowMs, slackMs, isLive }: CoverageContext,
): MutableCoverage[] {
  if (mutableCollections.size === 0) return [];
  const importedIntervals = intervals.filter(({ source }) => source === "import");
  if (importedIntervals.length === intervals.length) return [];
  const [nonImportedSpan] = gapsIn(
    window,
    platformWideIntervals(importedIntervals, "posts"),
    nowMs,
    slackMs,
  );
  if (nonImportedSpan === undefined) return [];
  const span = { fromMs: nonImportedSpan.fromMs, toMs: Math.max(nowMs, window.toMs) };
  return [...mutableCollections].map((what) => {
    const collection = collections[what];
    const collectionIntervals = platformWideIntervals(intervals, collection);
    const uncoveredSpans = (coveringIntervals: readonly CoverageInterval[]) =>
      gapsIn(span, coveringIntervals, nowMs, isLive ? Math.max(slackMs, minSlackMs) : 0);
    const gaps =
      collection === "labels"
        ? unionSpans(groupByLabeler(collectionIntervals).flatMap(uncoveredSpans))
        : uncoveredSpans(collectionIntervals);
    return { what, collection, span, gaps };
  });
}

/** One list per labeler: all must be followed. */
function groupByLabeler(intervals: readonly CoverageInterval[]): (readonly CoverageInterval[])[] {
  const labelers = Map.groupBy(intervals, ({ source }) => source);
  return labelers.size === 0 ? [[]] : [...labelers.values()];
}

type CoverageContext = {
  window: Span;
  intervals: readonly CoverageInterval[];
  nowMs: number;
  slackMs: number;
  isLive: boolean;
};
