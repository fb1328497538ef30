import type { Archive, PlatformCoverage, SearchAnswer } from "../../archive/archive.ts";
import { gapsIn, type Span, unionOf } from "../../archive/coverage.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { all, any, makePlan, namesIn, not } from "../../query/make-plan.ts";
import { parseQuery } from "../../query/parse.ts";
import type { PlanNode } from "../../query/plan.ts";
import { splitWindow } from "../../query/window.ts";
import type { SourceAnswer, SourceRequest, SourceWarning } from "../source.ts";

/** What the archive source needs of its surroundings. */
export type ArchiveSource = {
  archive: Archive;
  clock: Clock;
  /** Platforms that something feeds into the archive, whether or not a post of theirs has come yet. */
  fedPlatforms: readonly Platform[];
  /** How far a live stream may be behind and still reach the present. */
  coverageSlackMs: number;
};

/**
 * Answers a search from the archive: the newest matching posts of the asked platforms, and how much of the window the archive
 * holds completely. A search of `social` is complete only when each platform that is fed or holds any post is, but for those
 * that the query leaves out.
 */
export async function searchArchive(
  source: ArchiveSource,
  request: SourceRequest,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<SourceAnswer> {
  const { archive } = source;
  // Its length was looked at when the job was taken.
  const { tree } = parseQuery(request.query, { maxLength: Number.POSITIVE_INFINITY });
  const names = await archive.resolve(namesIn(tree));
  const plan = makePlan(tree, { names, asOfMs: request.asOfMs });
  const { after, maxResults, fromMs, toMs } = request;
  const searched = request.platform === "social" ? platforms : [request.platform];
  const found = await archive.search(
    { plan, platforms: searched, fromMs, toMs, after, limit: maxResults, deadlineMs },
    signal,
  );
  const { held } = found;
  const possible = searched.filter((platform) => admits(plan, platform));
  const asked = possible.filter(
    (platform) => request.platform !== "social" || isAnswerable(source, held, platform),
  );
  const narrowed = splitWindow(plan, request);
  const window = {
    fromMs: narrowed.fromMs,
    toMs: Math.max(narrowed.toMs ?? toMs, narrowed.fromMs ?? Number.NEGATIVE_INFINITY),
  };
  const gaps =
    asked.length === 0 && possible.length > 0
      ? [window]
      : unionOf(asked.flatMap((platform) => gapsOf(source, held, platform, window)));
  const complete = gaps.length === 0;
  return {
    positions: found.positions,
    next: found.next,
    complete: complete && found.complete,
    coverage: { ...window, complete, gaps },
    sources: asked.map((platform) => ({
      platform,
      via: "archive",
      ...window,
      count: found.positions.filter((position) => position.platform === platform).length,
    })),
    warnings: warningsOf(gaps, found),
  };
}

/** Whether a plan leaves posts of a platform possible, as far as it speaks of platforms. */
const admits = (plan: PlanNode, platform: Platform): boolean =>
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

/** Whether anything of a platform could be found here: something feeds it, or posts of it are held. */
function isAnswerable(
  { fedPlatforms }: ArchiveSource,
  held: readonly PlatformCoverage[],
  platform: Platform,
): boolean {
  return (
    fedPlatforms.includes(platform) ||
    held.some((entry) => entry.platform === platform && entry.holdsPosts)
  );
}

function gapsOf(
  { clock, coverageSlackMs }: ArchiveSource,
  held: readonly PlatformCoverage[],
  platform: Platform,
  window: Span,
): Span[] {
  if (window.fromMs !== null && window.fromMs >= window.toMs) return [];
  const intervals = held.find((entry) => entry.platform === platform)?.intervals ?? [];
  return gapsIn(window, intervals, clock.now(), coverageSlackMs);
}

function warningsOf(gaps: readonly Span[], found: SearchAnswer): SourceWarning[] {
  const warnings: SourceWarning[] = [];
  if (gaps.length > 0) {
    warnings.push({
      code: "incomplete_coverage",
      message:
        found.positions.length > 0
          ? "no source holds the whole window: there may be more posts than these"
          : "no source holds the whole window: an empty answer does not mean that there is no such post",
      hint: "see coverage.gaps for the parts that are missing",
    });
  }
  if (!found.complete) {
    warnings.push({
      code: "deadline_reached",
      message: "the search ran out of time before it had seen the whole window",
      hint: "continue with next_cursor",
    });
  }
  return warnings;
}
