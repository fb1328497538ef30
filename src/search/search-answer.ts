import type { SourceAnswer } from "../platforms/source.ts";
import { platforms } from "../posts/post.ts";
import type { AskingJob } from "../upstream/requests/sessions.ts";
import { searchArchived } from "./archive/search.ts";
import { archiveAnswer } from "./archive-answer.ts";
import { searchCoverage } from "./completeness.ts";
import { type AnswerContext, accessFor } from "./context.ts";
import { merged, type SearchRequest } from "./merged-answer.ts";
import { gapsOf } from "./platform-gaps.ts";
import { type Askable, searchPlatform } from "./search-platform.ts";

/**
 * From the archive, with the gaps requested from platforms that have a search and a credential. A
 * platform's failure leaves the answer incomplete, with a warning; it is thrown only if there is
 * nothing else to answer with.
 */
export async function searchAnswer(
  context: AnswerContext,
  request: SearchRequest,
  job: AskingJob,
): Promise<SourceAnswer> {
  const asking = askable(context, request, job);
  const [archived, upstreamPlatforms] = await Promise.all([
    searchArchived(
      { ...context.source, account: job.accountId },
      request,
      job.deadlineMs,
      job.signal,
      asking.then((each) => each.map(({ platform }) => platform)),
    ),
    asking,
  ]);
  const open = upstreamPlatforms.flatMap((one) => {
    const gaps = gapsOf(archived, one.platform, request);
    return gaps === null ? [] : [{ ...one, ...gaps }];
  });
  const askablePlatforms = upstreamPlatforms.map(({ platform }) => platform);
  if (open.length === 0) return archiveAnswer(request, archived, askablePlatforms);
  const isLive = request.method === "searchbyquery";
  await job.accepted?.();
  const parts = await Promise.all(
    open.map((one) => searchPlatform(context, { ...request, isLive }, archived, one, job)),
  );
  const coverage = searchCoverage(archived.coverage, {
    searched: parts,
    askable: askablePlatforms,
    after: request.after,
    isLive,
  });
  return merged(request, archived, { parts, coverage });
}

async function askable(
  { sessions, upstreams, settings }: AnswerContext,
  { platform: word, method, type }: SearchRequest,
  job: AskingJob,
): Promise<Askable[]> {
  const searched = word === "social" ? platforms : [word];
  const each = await Promise.all(
    searched.map(async (platform) => {
      const { search } = upstreams[platform];
      const access = accessFor(type, method, upstreams[platform]);
      if (search === null || access.length === 0) return { platform, sessions: [] };
      const sessionQuery = { platform, access, whose: "any", bucket: null, host: null } as const;
      const impatient = { ...job, mostWaitMs: settings.searchWaitMs };
      return { platform, sessions: await sessions.open({ job: impatient, ...sessionQuery }) };
    }),
  );
  return each.filter((one) => one.sessions.length > 0);
}
