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

const maxListedGaps = 100;

/** X reports post times in whole seconds; IDs have milliseconds. */
const idSkew = { minMs: -1_000, maxMs: 1_000 };

/**
 * A `social` search is complete only if it is complete on every platform with a source or stored
 * posts, except those that the query excludes.
 */
export function archiveCoverage(
  feed: ArchiveFeed,
  recordedCoverage: readonly PlatformCoverage[],
  query: CoverageQuery,
): ArchiveCoverage {
  const { tree, names, plan, platform: requestedPlatform } = query;
  const searchedPlatforms = requestedPlatform === "social" ? platforms : [requestedPlatform];
  const possiblePlatforms = searchedPlatforms.filter((platform) => canMatchOn(plan, platform));
  const answerablePlatforms = possiblePlatforms.filter(
    (platform) => requestedPlatform !== "social" || isAnswerable(feed, recordedCoverage, platform),
  );
  const window = coverageWindow(query);
  const collections = mutableCollectionsIn(tree);
  const platformCoverages = answerablePlatforms.map((platform) => {
    const intervals =
      recordedCoverage.find((entry) => entry.platform === platform)?.intervals ?? [];
    const postIntervals = platformWideIntervals(intervals, "posts");
    const isLive = hasCaughtUp(postIntervals, feed.liveSinceMs(platform));
    const slackMs = isLive ? feed.coverageSlackMs : 0;
    const context = { window, intervals, nowMs: feed.clock.now(), slackMs, isLive };
    const gaps = missingPosts({ platform, tree, names, ...context });
    const toMs = isLive && gaps.length === 0 ? coveredUntilMs(window, postIntervals) : window.toMs;
    const claimedSpan = { ...window, toMs: Math.max(toMs, window.fromMs ?? toMs) };
    return {
      platform,
      gaps,
      claimed: claimedSpan,
      mutableCoverages: mutableCoverage(collections, context),
    };
  });
  const isKnown = (platform: Platform): boolean =>
    isAnswerable(feed, recordedCoverage, platform) ||
    recordedCoverage.some((entry) => entry.platform === platform && entry.intervals.length > 0);
  const isUnknown = answerablePlatforms.length === 0 && possiblePlatforms.length > 0;
  const gaps = isUnknown
    ? [window]
    : unionSpans(platformCoverages.flatMap((coverage) => coverage.gaps));
  const reportedGaps = joinOldest(gaps, maxListedGaps);
  const isComplete = gaps.length === 0;
  const ends = isComplete ? platformCoverages.map(({ claimed }) => claimed.toMs) : [];
  const toMs = Math.min(window.toMs, ...ends);
  return {
    coverage: {
      ...window,
      toMs,
      complete: isComplete,
      gaps: reportedGaps,
      truncated: reportedGaps.length < gaps.length,
      platforms: platformCoverages.flatMap(({ platform, gaps, claimed, mutableCoverages }) => [
        {
          platform,
          collection: "posts",
          ...listedCoverage(isComplete ? { ...window, toMs } : claimed, gaps),
        },
        ...mutableCoverages
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
      ...(possiblePlatforms.length === 0 || possiblePlatforms.some(isKnown)
        ? []
        : [noSourceWarning(requestedPlatform)]),
      ...platformCoverages.flatMap(({ platform, mutableCoverages }) =>
        unfollowedWarnings(platform, mutableCoverages),
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
  const narrowedBounds = extractBounds(plan, { fromMs, toMs });
  const idWindow = idsWindow(narrowedBounds.lowId, narrowedBounds.highId, idSkew);
  const starts = [narrowedBounds.fromMs, idWindow.fromMs].filter((ms) => ms !== null);
  const startMs = starts.length === 0 ? null : Math.max(...starts);
  const endMs = Math.min(narrowedBounds.toMs ?? toMs, idWindow.toMs ?? toMs);
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
  recordedCoverage: readonly PlatformCoverage[],
  platform: Platform,
): boolean {
  return (
    streamedPlatforms.includes(platform) ||
    recordedCoverage.some((entry) => entry.platform === platform && entry.hasPosts)
  );
}

function listedCoverage(
  window: Span,
  gaps: readonly Span[],
): Omit<CollectionCoverage, "platform" | "collection"> {
  const reportedGaps = joinOldest(gaps, maxListedGaps);
  return {
    complete: gaps.length === 0,
    held: subtractSpans(window, reportedGaps),
    gaps: reportedGaps,
    truncated: reportedGaps.length < gaps.length,
  };
}

/**
 * Undercounted likes exclude posts, or include them if negated. Returns warnings instead of gaps,
 * because the posts are stored.
 */
function unfollowedWarnings(
  platform: Platform,
  coverages: readonly MutableCoverage[],
): SourceWarning[] {
  const incompleteCollections = coverages
    .filter(({ gaps }) => gaps.length > 0)
    .map(({ what }) => what);
  const counts = incompleteCollections.filter((what) => what !== "labels");
  const warnings: SourceWarning[] = [];
  if (counts.length > 0) {
    warnings.push({
      code: "counts_incomplete",
      message: `counts of ${counts.join(" and ")} on ${platform} may be too low, so some posts may be missing`,
      hint: "see coverage.platforms for the covered times",
    });
  }
  if (incompleteCollections.includes("labels")) {
    warnings.push({
      code: "labels_incomplete",
      message: `labels on ${platform} may be missing, so some posts may be missing or wrongly included`,
      hint: "see coverage.platforms for the covered times",
    });
  }
  return warnings;
}
