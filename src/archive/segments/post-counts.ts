import { type CountMetric, countMetrics } from "@earshot/query/tree";
import type { PostCounts } from "../../posts/post.ts";
import { countThresholds } from "../../posts/terms.ts";

export function mergeCounts(incoming: PostCounts, storedCounts: PostCounts): PostCounts {
  return {
    likes: incoming.likes ?? storedCounts.likes,
    reposts: incoming.reposts ?? storedCounts.reposts,
    replies: incoming.replies ?? storedCounts.replies,
    quotes: incoming.quotes ?? storedCounts.quotes,
  };
}

export function applyCountDeltas(
  counts: PostCounts,
  deltas: ReadonlyMap<CountMetric, number>,
): PostCounts {
  const newCount = (metric: CountMetric): number | null => {
    const delta = deltas.get(metric) ?? 0;
    const oldCount = counts[metric];
    return oldCount === null && delta <= 0 ? null : Math.max(0, (oldCount ?? 0) + delta);
  };
  return {
    likes: newCount("likes"),
    reposts: newCount("reposts"),
    replies: newCount("replies"),
    quotes: newCount("quotes"),
  };
}

/** A change in counts changes a post's terms only if a count crosses a threshold. */
export function crossesThreshold(before: PostCounts, after: PostCounts): boolean {
  const thresholdsReached = (count: number | null): number =>
    countThresholds.filter((threshold) => (count ?? 0) >= threshold).length;
  return countMetrics.some(
    (metric) => thresholdsReached(before[metric]) !== thresholdsReached(after[metric]),
  );
}

export function areCountsEqual(a: PostCounts, b: PostCounts): boolean {
  return (
    a.likes === b.likes &&
    a.reposts === b.reposts &&
    a.replies === b.replies &&
    a.quotes === b.quotes
  );
}
