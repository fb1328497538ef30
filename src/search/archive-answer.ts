import { makePlan, namesIn } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import type { Position } from "../archive/archive.ts";
import type { Reader } from "../archive/threads/reader.ts";
import type { Clock } from "../lib/clock.ts";
import { type JsonPage, splitJsonPage } from "../lib/json-page.ts";
import type { SourceAnswer } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";
import { type ArchivedAnswer, archiveSearch, assembleArchivedAnswer } from "./archive/search.ts";
import { interruptedPositions } from "./archive/unchecked-posts.ts";
import { readItem } from "./merge/answer-records.ts";
import { searchCoverage } from "./merge/completeness.ts";
import { type MergeableSearch, mergeAnswers } from "./merge/merged-answer.ts";
import { findGaps } from "./platform/platform-gaps.ts";

export function archiveAnswer(
  request: MergeableSearch,
  archivedAnswer: ArchivedAnswer,
  requestablePlatforms: readonly Platform[],
): SourceAnswer {
  const { after, method } = request;
  if (after === null) return toSourceAnswer(archivedAnswer);
  const isLive = method === "searchbyquery";
  const coverage = searchCoverage(archivedAnswer.coverage, {
    searchedPlatforms: [],
    requestablePlatforms,
    after,
    isLive,
  });
  return mergeAnswers(request, archivedAnswer, { parts: [], coverage });
}

const toSourceAnswer = ({
  tree,
  names,
  plan,
  isFullySearched: isSearched,
  ...answer
}: ArchivedAnswer): SourceAnswer => answer;

/** Plain data to send to another thread. */
export type ShortSearchContext = {
  requestableWithoutCredential: readonly Platform[];
  requestableWithCredential: readonly Platform[];
  streamedPlatforms: readonly Platform[];
  coverageSlackMs: number;
  liveSinceMs: Readonly<Record<Platform, number | null>>;
  isMastodonFollowed: boolean;
  hasRecords: boolean;
};

export type ShortSearch = {
  request: MergeableSearch;
  tree: QueryNode;
  context: ShortSearchContext;
};

export type ShortAnswer = { answer: SourceAnswer; page: JsonPage | null };

/**
 * Runs on the calling thread until `isOver`. Null if it takes longer, a platform has to be
 * requested, found posts may have changed, or a segment is damaged.
 */
export function shortAnswer(
  { steps, jsonPage }: Pick<Reader, "steps" | "jsonPage">,
  { request, tree, context }: ShortSearch,
  { elapsed }: Pick<Clock, "elapsed">,
  { isOver, nowMs }: { isOver: () => boolean; nowMs: number },
): ShortAnswer | null {
  const slice = { clock: { now: elapsed, elapsed }, isSliceOver: isOver };
  const names = firstStep(steps.resolve(namesIn(tree), slice));
  if (names === null) return null;
  const plan = makePlan(tree, { names, asOfMs: request.asOfMs });
  const search = { ...archiveSearch(request, plan), deadlineMs: Number.POSITIVE_INFINITY };
  const coveredAnswer = firstStep(steps.search(search, slice));
  if (coveredAnswer === null || coveredAnswer.damage.length > 0) return null;
  if (
    mayHaveChanged(
      coveredAnswer.positions,
      context,
      interruptedPositions(coveredAnswer.positions, coveredAnswer.coverage),
    )
  )
    return null;

  const feed = {
    clock: { now: () => nowMs },
    streamedPlatforms: [...context.streamedPlatforms, ...context.requestableWithoutCredential],
    coverageSlackMs: context.coverageSlackMs,
    liveSinceMs: (platform: Platform) => context.liveSinceMs[platform],
  };
  const archivedAnswer = assembleArchivedAnswer(
    feed,
    request,
    { tree, names, plan },
    coveredAnswer,
    [],
  );
  if (
    context.requestableWithoutCredential.some(
      (platform) => findGaps(archivedAnswer, platform, request) !== null,
    )
  )
    return null;
  const answer = archiveAnswer(request, archivedAnswer, context.requestableWithoutCredential);
  const page = jsonPage(coveredAnswer.positions, isOver);
  const intactPage = page === null || page.damage.length > 0 ? null : page;
  if (!context.hasRecords) return { answer, page: intactPage };
  if (intactPage === null) return null;
  return {
    answer: { ...answer, items: splitJsonPage(intactPage).map(readItem) },
    page: intactPage,
  };
}

const mayHaveChanged = (
  positions: readonly Position[],
  { isMastodonFollowed }: ShortSearchContext,
  interruptedPosts: readonly Position[],
): boolean =>
  interruptedPosts.length > 0 ||
  (isMastodonFollowed && positions.some(({ platform }) => platform === "mastodon"));

function firstStep<Value>(steps: Generator<void, Value>): Value | null {
  const step = steps.next();
  if (step.done) return step.value;
  steps.return(undefined as never);
  return null;
}
