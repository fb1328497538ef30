import { makePlan, namesIn, type PlanNode, type ResolvedNames } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { Archive, CoveredAnswer, SearchRequest } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import type {
  AnswerItem,
  Coverage,
  SourceAnswer,
  SourceRequest,
  SourceWarning,
} from "../../platforms/source.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { withDamage } from "../merge/damage.ts";
import { parseSearchQuery } from "../parse-search-query.ts";
import { type ArchiveFeed, archiveCoverage } from "./coverage.ts";
import { type FreshnessOf, uncheckedWarnings } from "./unchecked-posts.ts";

export type ArchiveSource = ArchiveFeed & {
  archive: Archive;
  clock: Clock;
  freshness?: FreshnessOf;
  account?: string;
};

export type PlannedQuery = { tree: QueryNode; names: ResolvedNames; plan: PlanNode };

export type ArchivedAnswer = SourceAnswer &
  PlannedQuery & {
    isFullySearched: boolean;
  };

export async function searchArchive(
  source: ArchiveSource,
  request: SourceRequest,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<SourceAnswer> {
  const {
    tree,
    names,
    plan,
    isFullySearched: isSearched,
    ...answer
  } = await searchArchived(source, request, deadlineMs, signal);
  return answer;
}

export async function searchArchived(
  source: ArchiveSource,
  request: SourceRequest,
  deadlineMs: number,
  signal?: AbortSignal,
  listAdditionalStreamedPlatforms: () => Promise<readonly Platform[]> = async () => [],
): Promise<ArchivedAnswer> {
  const { archive, account } = source;
  const { tree } = parseSearchQuery(request.query, { maxLength: Number.POSITIVE_INFINITY });
  const names = await archive.resolve(namesIn(tree));
  signal?.throwIfAborted();
  const plan = makePlan(tree, { names, asOfMs: request.asOfMs });
  const answer = await archive.search(
    { ...archiveSearch(request, plan), deadlineMs, ...accountField(account) },
    signal,
  );
  const additionalPlatforms = await listAdditionalStreamedPlatforms();
  const streamedPlatforms = [...source.streamedPlatforms, ...additionalPlatforms];
  const postWarnings = await uncheckedWarnings(source, answer.positions, answer.coverage);
  return assembleArchivedAnswer(
    { ...source, streamedPlatforms },
    request,
    { tree, names, plan },
    answer,
    postWarnings,
  );
}

export function archiveSearch(
  { platform, after, maxResults, fromMs, toMs }: SourceRequest,
  plan: PlanNode,
): Omit<SearchRequest, "deadlineMs"> {
  const searchedPlatforms = platform === "social" ? platforms : [platform];
  return { plan, platforms: searchedPlatforms, fromMs, toMs, after, limit: maxResults };
}

export function assembleArchivedAnswer(
  feed: ArchiveFeed,
  { platform, after, fromMs, toMs }: SourceRequest,
  { tree, names, plan }: PlannedQuery,
  coveredAnswer: CoveredAnswer,
  postWarnings: readonly SourceWarning[],
): ArchivedAnswer {
  const archivedCoverage = archiveCoverage(feed, coveredAnswer.coverage, {
    platform,
    tree,
    names,
    plan,
    fromMs,
    toMs,
    after,
  });
  const { complete, coverage, warnings } = withDamage(
    {
      complete: archivedCoverage.coverage.complete,
      coverage: archivedCoverage.coverage,
      warnings: archivedCoverage.warnings,
    },
    coveredAnswer.damage,
  );
  return {
    items: coveredAnswer.positions,
    next: coveredAnswer.next,
    complete: complete && coveredAnswer.complete,
    coverage,
    sources: archivedCoverage.platforms.map((platform) => ({
      platform,
      via: "archive",
      fromMs: coverage.fromMs,
      toMs: coverage.toMs,
      count: coveredAnswer.positions.filter((position) => position.platform === platform).length,
    })),
    warnings: [
      ...coverageWarnings(coverage, coveredAnswer.positions, coveredAnswer.complete),
      ...warnings,
      ...postWarnings,
    ],
    tree,
    names,
    plan,
    isFullySearched: coveredAnswer.complete,
  };
}

export const accountField = (account: string | undefined): { account?: string } =>
  account === undefined ? {} : { account };

export function coverageWarnings(
  { gaps }: Coverage,
  items: readonly AnswerItem[],
  isFullySearched: boolean,
): SourceWarning[] {
  const warnings: SourceWarning[] = [];
  if (gaps.length > 0) {
    warnings.push({
      code: "incomplete_coverage",
      message:
        items.length > 0
          ? "no source covers the whole window: there may be more posts"
          : "no source covers the whole window: there may be posts despite the empty answer",
      hint: "see coverage.gaps for the missing parts",
    });
  }
  if (!isFullySearched) {
    warnings.push({
      code: "deadline_reached",
      message: "the search timed out before the end of the window",
      hint: "continue with next_cursor",
    });
  }
  return warnings;
}
