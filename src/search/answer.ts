import { isSearch, type Method } from "../platforms/methods.ts";
import type { AnswerRequest, SearchPlatform, SourceAnswer } from "../platforms/source.ts";
import { type Platform, platforms } from "../posts/post.ts";
import type { UpstreamJob } from "../upstream/requests/sessions.ts";
import { searchArchived } from "./archive/search.ts";
import { archiveAnswer } from "./archive-answer.ts";
import { type AnswerContext, accessFor } from "./context.ts";
import { searchCoverage } from "./merge/completeness.ts";
import { type MergeableSearch, mergeAnswers } from "./merge/merged-answer.ts";
import { fetchAnswer } from "./methods/fetch-answer.ts";
import { findGaps } from "./platform/platform-gaps.ts";
import { type RequestablePlatform, searchPlatform } from "./platform/search-platform.ts";

export type { AnswerContext } from "./context.ts";

/** Throws an `EarshotError` if there is no answer. */
export async function answerJob(
  context: AnswerContext,
  request: AnswerRequest,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { method } = request;
  if (isSearch(method)) return await searchAnswer(context, { ...request, method }, job);
  const platform = requestedPlatform(request, context.settings.defaultPlatform);
  return await fetchAnswer(context, { ...request, method, platform }, job);
}

function requestedPlatform(
  {
    platform,
    target = null,
    position = null,
  }: {
    platform: SearchPlatform;
    method: Method;
    target?: AnswerRequest["target"];
    position?: AnswerRequest["position"];
  },
  defaultPlatform: Platform,
): Platform {
  if (position !== null) return position.platform;
  if (platform !== "social") return platform;
  return target?.platform ?? defaultPlatform;
}

/**
 * Answers from the archive and requests the gaps from platforms. If a platform fails, the answer is
 * incomplete, with a warning; the error is thrown only if there is nothing else to answer with.
 */
async function searchAnswer(
  context: AnswerContext,
  request: MergeableSearch,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const opening = openPlatforms(context, request, job);
  const [archivedAnswer, upstreamPlatforms] = await Promise.all([
    searchArchived(
      { ...context.source, account: job.accountId },
      request,
      job.deadlineMs,
      job.signal,
      // Derived only when awaited: an earlier rejection would be unhandled and end the process.
      async () => (await opening).map(({ platform }) => platform),
    ),
    opening,
  ]);
  const platformsToSearch = upstreamPlatforms.flatMap((platform) => {
    const gaps = findGaps(archivedAnswer, platform.platform, request);
    return gaps === null ? [] : [{ ...platform, ...gaps }];
  });
  const requestablePlatforms = upstreamPlatforms.map(({ platform }) => platform);
  if (platformsToSearch.length === 0)
    return archiveAnswer(request, archivedAnswer, requestablePlatforms);
  const isLive = request.method === "searchbyquery";
  await job.accepted?.();
  const parts = await Promise.all(
    platformsToSearch.map((one) =>
      searchPlatform(context, { ...request, isLive }, archivedAnswer, one, job),
    ),
  );
  const coverage = searchCoverage(archivedAnswer.coverage, {
    searchedPlatforms: parts,
    requestablePlatforms,
    after: request.after,
    isLive,
  });
  return mergeAnswers(request, archivedAnswer, { parts, coverage });
}

async function openPlatforms(
  { sessions, upstreams, settings }: AnswerContext,
  { platform: requestedPlatform, method, type }: MergeableSearch,
  job: UpstreamJob,
): Promise<RequestablePlatform[]> {
  const candidatePlatforms = requestedPlatform === "social" ? platforms : [requestedPlatform];
  const openedPlatforms = await Promise.all(
    candidatePlatforms.map(async (platform) => {
      const { search } = upstreams[platform];
      const access = accessFor(type, method, upstreams[platform]);
      if (search === null || access.length === 0) return { platform, sessions: [] };
      const sessionQuery = {
        platform,
        access,
        ownership: "any",
        bucket: null,
        host: null,
      } as const;
      const boundedJob = { ...job, maxWaitMs: settings.searchWaitMs };
      return { platform, sessions: await sessions.open({ job: boundedJob, ...sessionQuery }) };
    }),
  );
  return openedPlatforms.filter((one) => one.sessions.length > 0);
}
