import { intersectSpans, type Span, subtractSpans, unionSpans } from "../../lib/spans.ts";
import type { Coverage, SourceRequest } from "../../platforms/source.ts";
import type { UpstreamWarning } from "../../platforms/upstream.ts";
import { idTimeMs } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";

/**
 * Only this module decides whether a reading is complete. Adapters and readers report facts:
 * `isPartial`, and the time from which a page was read (`sinceMs`).
 */

export type Reading = {
  warnings: readonly UpstreamWarning[];
  sinceMs: number | null;
};

export const isUntruncated = (warnings: readonly UpstreamWarning[]): boolean =>
  !warnings.some(({ isPartial }) => isPartial === true);

export function fullyReadSpans(
  requestedSpans: readonly Span[],
  { warnings, sinceMs }: Reading,
): readonly Span[] {
  if (!isUntruncated(warnings)) return [];
  return sinceMs === null ? requestedSpans : clippedFrom(requestedSpans, sinceMs);
}

export const clippedFrom = (spans: readonly Span[], fromMs: number): readonly Span[] =>
  intersectSpans([...spans], [{ fromMs, toMs: Number.MAX_SAFE_INTEGER }]);

const minMissingMs = 1_000;

export function missingSpans(requestedSpan: Span, { warnings, sinceMs }: Reading): readonly Span[] {
  if (!isUntruncated(warnings)) return [requestedSpan];
  const { fromMs } = requestedSpan;
  if (sinceMs === null || (fromMs !== null && sinceMs - fromMs <= minMissingMs)) return [];
  return [{ fromMs, toMs: Math.min(sinceMs, requestedSpan.toMs) }];
}

export function fetchCoverage(requestedSpan: Span, gaps: readonly Span[]): Coverage {
  return {
    ...requestedSpan,
    complete: gaps.length === 0,
    gaps,
    truncated: false,
    platforms: [],
  };
}

export type SearchedPlatform = {
  platform: Platform;
  closedSpans: readonly Span[];
  sinceMs: number | null;
};

/** The start of a live window may leave recent search's range before the request arrives. */
export const liveToleranceMs = 900_000;

/**
 * Spans that platforms answered completely are not gaps. A later page covers the time before the
 * previous one. A live window begins where recent search begins.
 */
export function searchCoverage(
  coverage: Coverage,
  {
    searchedPlatforms,
    requestablePlatforms,
    after,
    isLive,
  }: {
    searchedPlatforms: readonly SearchedPlatform[];
    requestablePlatforms: readonly Platform[];
    after: SourceRequest["after"];
    isLive: boolean;
  },
): Coverage {
  const postCoverages = (coverage.platforms ?? []).filter(
    ({ collection }) => collection === "posts",
  );
  if (postCoverages.length === 0) return coverage;
  const fromMs = coverageStart(coverage, isLive ? searchedPlatforms : []);
  const endOnPlatform = (platform: Platform): number =>
    requestablePlatforms.includes(platform)
      ? Math.min(coverage.toMs, continuationEndMs(after, platform))
      : coverage.toMs;
  const lastMs = Math.max(...postCoverages.map(({ platform }) => endOnPlatform(platform)));
  const window = { fromMs, toMs: Math.max(lastMs, fromMs ?? lastMs) };
  const platformCoverages = (coverage.platforms ?? []).map((collectionCoverage) => {
    if (collectionCoverage.collection !== "posts") return collectionCoverage;
    const closedSpans =
      searchedPlatforms.find(({ platform }) => platform === collectionCoverage.platform)
        ?.closedSpans ?? [];
    const requestedWindow = {
      fromMs,
      toMs: Math.max(endOnPlatform(collectionCoverage.platform), fromMs ?? 0),
    };
    const openGaps = intersectSpans([...collectionCoverage.gaps], [requestedWindow]);
    const gaps = intersectSpans(openGaps, subtractSpans(requestedWindow, unionSpans(closedSpans)));
    return {
      ...collectionCoverage,
      complete: gaps.length === 0,
      gaps,
      held: subtractSpans(requestedWindow, gaps),
    };
  });
  const gaps = unionSpans(
    platformCoverages.flatMap((collectionCoverage) =>
      collectionCoverage.collection === "posts" ? collectionCoverage.gaps : [],
    ),
  );
  return {
    ...coverage,
    ...window,
    complete: gaps.length === 0,
    gaps,
    platforms: platformCoverages,
  };
}

export const postTimeSkewMs = (platform: Platform): number => (platform === "x" ? 1_000 : 0);

/** The end of the next page's window, exclusive. */
export const continuationEndMs = (after: SourceRequest["after"], platform: Platform): number =>
  after === null ? Number.MAX_SAFE_INTEGER : idTimeMs(after.id) + postTimeSkewMs(platform) + 1;

function coverageStart({ fromMs }: Coverage, searched: readonly SearchedPlatform[]): number | null {
  if (fromMs === null) return null;
  const starts = searched.flatMap(({ sinceMs }) =>
    sinceMs !== null && sinceMs - fromMs <= liveToleranceMs ? [sinceMs] : [],
  );
  return Math.max(fromMs, ...starts);
}
