import type { QueryNode } from "@earshot/query/tree";
import type { Collection, CoverageInterval } from "../../archive/archive.ts";
import { gapsIn, platformWideIntervals } from "../../archive/catalog/coverage.ts";
import { type Span, unionSpans } from "../../lib/spans.ts";

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
 * Spans extend to the present: a like may come any time after its post. A platform fed only by
 * imports follows nothing.
 */
export function mutableCoverage(
  mutable: ReadonlySet<MutableCollection>,
  { window, intervals, nowMs, slackMs, isLive }: PostCoverage,
): MutableCoverage[] {
  if (mutable.size === 0) return [];
  const imported = intervals.filter(({ source }) => source === "import");
  if (imported.length === intervals.length) return [];
  const [notImported] = gapsIn(window, platformWideIntervals(imported, "posts"), nowMs, slackMs);
  if (notImported === undefined) return [];
  const span = { fromMs: notImported.fromMs, toMs: Math.max(nowMs, window.toMs) };
  return [...mutable].map((what) => {
    const collection = collections[what];
    const covered = platformWideIntervals(intervals, collection);
    const complementGaps = (covering: readonly CoverageInterval[]) =>
      gapsIn(span, covering, nowMs, isLive ? Math.max(slackMs, minSlackMs) : 0);
    const gaps =
      collection === "labels"
        ? unionSpans(byLabeler(covered).flatMap(complementGaps))
        : complementGaps(covered);
    return { what, collection, span, gaps };
  });
}

/** All labelers must be followed. */
function byLabeler(intervals: readonly CoverageInterval[]): (readonly CoverageInterval[])[] {
  const labelers = Map.groupBy(intervals, ({ source }) => source);
  return labelers.size === 0 ? [[]] : [...labelers.values()];
}

type PostCoverage = {
  window: Span;
  intervals: readonly CoverageInterval[];
  nowMs: number;
  slackMs: number;
  isLive: boolean;
};
