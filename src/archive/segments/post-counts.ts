import { type CountMetric, countMetrics } from "@earshot/query/tree";
import type { PostCounts } from "../../posts/post.ts";
import { countThresholds } from "../../posts/terms.ts";

export function mergeCounts(incoming: PostCounts, known: PostCounts): PostCounts {
  return {
    likes: incoming.likes ?? known.likes,
    reposts: incoming.reposts ?? known.reposts,
    replies: incoming.replies ?? known.replies,
    quotes: incoming.quotes ?? known.quotes,
  };
}

export function applyCountDeltas(
  counts: PostCounts,
  deltas: ReadonlyMap<CountMetric, number>,
): PostCounts {
  const changed = (metric: CountMetric): number | null => {
    const delta = deltas.get(metric) ?? 0;
    const known = counts[metric];
    return known === null && delta <= 0 ? null : Math.max(0, (known ?? 0) + delta);
  };
  return {
    likes: changed("likes"),
    reposts: changed("reposts"),
    replies: changed("replies"),
    quotes: changed("quotes"),
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

export function sameCounts(a: PostCounts, b: PostCounts): boolean {
  return (
    a.likes === b.likes &&
    a.reposts === b.reposts &&
    a.replies === b.replies &&
    a.quotes === b.quotes
  );
}
