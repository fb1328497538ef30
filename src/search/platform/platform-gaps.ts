import { intersectSpans, type Span } from "../../lib/spans.ts";
import type { SourceRequest } from "../../platforms/source.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { ArchivedAnswer } from "../archive/search.ts";
import { clippedFrom, continuationEndMs, postTimeSkewMs } from "../merge/completeness.ts";

/**
 * `gaps`: those on this page, oldest first. `olderThanMs`: the time before which later pages have
 * gaps, or null.
 */
export type Gaps = { gaps: readonly Span[]; olderThanMs: number | null };

export function findGaps(
  archived: ArchivedAnswer,
  platform: Platform,
  { after, maxResults }: Pick<SourceRequest, "after" | "maxResults">,
): Gaps | null {
  const coverage = archived.coverage.platforms?.find(
    (other) => other.platform === platform && other.collection === "posts",
  );
  const { fromMs, toMs } = archived.coverage;
  const lastMs = continuationEndMs(after, platform);
  const gaps = intersectSpans(coverage?.gaps ?? [], [{ fromMs, toMs: Math.min(toMs, lastMs) }]);
  if (gaps.length === 0) return null;
  const oldestMs = oldestOnPage(archived, platform, maxResults);
  if (oldestMs === null) return { gaps, olderThanMs: null };
  const hasOlderGaps = (gaps[0]?.fromMs ?? Number.NEGATIVE_INFINITY) < oldestMs;
  return { gaps: clippedFrom(gaps, oldestMs), olderThanMs: hasOlderGaps ? oldestMs : null };
}

/** Null unless the archive alone fills the page. */
function oldestOnPage(
  { items }: ArchivedAnswer,
  platform: Platform,
  maxResults: number,
): number | null {
  const lastItem = items.length < maxResults ? undefined : items.at(-1);
  return lastItem?.id == null || !hasTime(lastItem.id)
    ? null
    : idTimeMs(lastItem.id) - postTimeSkewMs(platform);
}
