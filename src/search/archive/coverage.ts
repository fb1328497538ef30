import {
  all,
  any,
  extractBounds,
  not,
  type PlanNode,
  type ResolvedNames,
} from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { PlatformCoverage, Position } from "../../archive/archive.ts";
import {
  coveredUntilMs,
  hasCaughtUp,
  platformWideIntervals,
} from "../../archive/catalog/coverage.ts";
import type { Clock } from "../../lib/clock.ts";
import { joinOldest, type Span, subtractSpans, unionSpans } from "../../lib/spans.ts";
import type {
  CollectionCoverage,
  Coverage,
  SearchPlatform,
  SourceWarning,
} from "../../platforms/source.ts";
import { hasTime, idsWindow, idTimeMs } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import {
  type MutableCoverage,
  missingPosts,
  mutableCollectionsIn,
  mutableCoverage,
} from "./missing-posts.ts";
import { noSourceWarning } from "./no-source.ts";

export type ArchiveFeed = {
  clock: Pick<Clock, "now">;
  streamedPlatforms: readonly Platform[];
  /** Maximum lag of a caught-up stream. */
  coverageSlackMs: number;
  liveSinceMs: (platform: Platform) => number | null;
};

export const noLiveStream: ArchiveFeed["liveSinceMs"] = () => null;

export type CoverageQuery = {
  platform: SearchPlatform;
  tree: QueryNode;
  names: ResolvedNames;
  plan: PlanNode;
  fromMs: number | null;
  toMs: number;
  after?: Position | null;
};

export type ArchiveCoverage = {
  coverage: Coverage;
  platforms: readonly Platform[];
  warnings: readonly SourceWarning[];
};

const listedGaps = 100;

/** X reports post times in whole seconds; IDs have milliseconds. */
const idSkew = { minMs: -1_000, maxMs: 1_000 };

/**
 * A `social` search is complete only if it is complete on every platform with a source or stored
 * posts, except those that the query excludes.
 */
export function archiveCoverage(
  feed: ArchiveFeed,
  covered: readonly PlatformCoverage[],
  query: CoverageQuery,
): ArchiveCoverage {
  const { tree, names, plan, platform: requestedPlatform } = query;
  const searched = requestedPlatform === "social" ? platforms : [requestedPlatform];
  const possible = searched.filter((platform) => canMatchOn(plan, platform));
  const answerablePlatforms = possible.filter(
    (platform) => requestedPlatform !== "social" || isAnswerable(feed, covered, platform),
  );
  const window = coverageWindow(query);
  const collections = mutableCollectionsIn(tree);
  const platformCoverages = answerablePlatforms.map((platform) => {
    const intervals = covered.find((entry) => entry.platform === platform)?.intervals ?? [];
    const postIntervals = platformWideIntervals(intervals, "posts");
    const isLive = hasCaughtUp(postIntervals, feed.liveSinceMs(platform));
    const slackMs = isLive ? feed.coverageSlackMs : 0;
    const context = { window, intervals, nowMs: feed.clock.now(), slackMs, isLive };
    const gaps = missingPosts({ platform, tree, names, ...context });
    const toMs = isLive && gaps.length === 0 ? coveredUntilMs(window, postIntervals) : window.toMs;
    const claimed = { ...window, toMs: Math.max(toMs, window.fromMs ?? toMs) };
    return { platform, gaps, claimed, followed: mutableCoverage(collections, context) };
  });
  const isKnown = (platform: Platform): boolean =>
    isAnswerable(feed, covered, platform) ||
    covered.some((entry) => entry.platform === platform && entry.intervals.length > 0);
  const isUnknown = answerablePlatforms.length === 0 && possible.length > 0;
  const gaps = isUnknown
    ? [window]
    : unionSpans(platformCoverages.flatMap((coverage) => coverage.gaps));
  const listed = joinOldest(gaps, listedGaps);
  const isComplete = gaps.length === 0;
  const ends = isComplete ? platformCoverages.map(({ claimed }) => claimed.toMs) : [];
  const toMs = Math.min(window.toMs, ...ends);
  return {
    coverage: {
      ...window,
      toMs,
      complete: isComplete,
      gaps: listed,
      truncated: listed.length < gaps.length,
      platforms: platformCoverages.flatMap(({ platform, gaps, claimed, followed }) => [
        {
          platform,
          collection: "posts",
          ...listedCoverage(isComplete ? { ...window, toMs } : claimed, gaps),
        },
        ...followed
          .filter(({ collection }) => collection !== "posts")
          .map(({ collection, span, gaps }) => ({
            platform,
            collection,
            ...listedCoverage(span, gaps),
          })),
      ]),
    },
    platforms: answerablePlatforms,
    warnings: [
      ...(possible.length === 0 || possible.some(isKnown)
        ? []
        : [noSourceWarning(requestedPlatform)]),
      ...platformCoverages.flatMap(({ platform, followed }) =>
        unfollowedWarnings(platform, followed),
      ),
    ],
  };
}

/** A later page claims no coverage after its cursor, where posts may have arrived since. */
function coverageWindow({ plan, fromMs, toMs: endOfSearchMs, after = null }: CoverageQuery): {
  fromMs: number | null;
  toMs: number;
} {
  const isLater = after !== null && hasTime(after.id);
  const toMs = isLater ? Math.min(endOfSearchMs, idTimeMs(after.id) + 1) : endOfSearchMs;
  const narrowed = extractBounds(plan, { fromMs, toMs });
  const idWindow = idsWindow(narrowed.lowId, narrowed.highId, idSkew);
  const starts = [narrowed.fromMs, idWindow.fromMs].filter((ms) => ms !== null);
  const startMs = starts.length === 0 ? null : Math.max(...starts);
  const endMs = Math.min(narrowed.toMs ?? toMs, idWindow.toMs ?? toMs);
  return { fromMs: startMs, toMs: Math.max(endMs, startMs ?? endMs) };
}

const canMatchOn = (plan: PlanNode, platform: Platform): boolean =>
  plan.kind === "none" || planOn(platform, plan).kind !== "none";

function planOn(platform: Platform, plan: PlanNode): PlanNode {
  switch (plan.kind) {
    case "platform":
      return { kind: plan.platform === platform ? "all" : "none" };
    case "and":
      return all(plan.children.map((child) => planOn(platform, child)));
    case "or":
      return any(plan.children.map((child) => planOn(platform, child)));
    case "not":
      return not(planOn(platform, plan.child));
    default:
      return plan;
  }
}

function isAnswerable(
  { streamedPlatforms }: ArchiveFeed,
  covered: readonly PlatformCoverage[],
  platform: Platform,
): boolean {
  return (
    streamedPlatforms.includes(platform) ||
    covered.some((entry) => entry.platform === platform && entry.hasPosts)
  );
}

function listedCoverage(
  window: Span,
  gaps: readonly Span[],
): Omit<CollectionCoverage, "platform" | "collection"> {
  const listed = joinOldest(gaps, listedGaps);
  return {
    complete: gaps.length === 0,
    held: subtractSpans(window, listed),
    gaps: listed,
    truncated: listed.length < gaps.length,
  };
}

/**
 * Undercounted likes exclude posts, or include them if negated. Returns warnings instead of gaps,
 * because the posts are stored.
 */
function unfollowedWarnings(
  platform: Platform,
  followed: readonly MutableCoverage[],
): SourceWarning[] {
  const missed = followed.filter(({ gaps }) => gaps.length > 0).map(({ what }) => what);
  const counts = missed.filter((what) => what !== "labels");
  const warnings: SourceWarning[] = [];
  if (counts.length > 0) {
    warnings.push({
      code: "counts_incomplete",
      message: `counts of ${counts.join(" and ")} on ${platform} may be too low, so some posts may be missing`,
      hint: "see coverage.platforms for the covered times",
    });
  }
  if (missed.includes("labels")) {
    warnings.push({
      code: "labels_incomplete",
      message: `labels on ${platform} may be missing, so some posts may be missing or wrongly included`,
      hint: "see coverage.platforms for the covered times",
    });
  }
  return warnings;
}
