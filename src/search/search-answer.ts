import type { SearchMethod } from "../platforms/methods.ts";
import type { AnswerRequest, Coverage, SourceAnswer } from "../platforms/source.ts";
import { platforms } from "../posts/post.ts";
import type { AskingJob } from "../upstream/requests/sessions.ts";
import { type HeldAnswer, searchHeld, warningsOf } from "./archive/search.ts";
import { searchCoverage } from "./completeness.ts";
import { type AnswerContext, accessFor } from "./context.ts";
import { type MergedPart, merge } from "./merge.ts";
import { gapsOf } from "./platform-gaps.ts";
import { type Askable, type PlatformPart, searchPlatform } from "./search-platform.ts";

export type SearchRequest = AnswerRequest & { method: SearchMethod };

/**
 * Answers a search from the archive, and asks the platforms that have a search, where a credential for it is configured, for
 * the parts of the window that the archive does not hold. All are merged by identity, newest first. What a platform could not
 * give leaves the answer incomplete and is said; when there is nothing else to answer with, its fault is thrown.
 */
export async function searchAnswer(
  context: AnswerContext,
  request: SearchRequest,
  job: AskingJob,
): Promise<SourceAnswer> {
  const asking = askable(context, request, job);
  const [held, asked] = await Promise.all([
    searchHeld(
      { ...context.source, account: job.accountId },
      request,
      job.deadlineMs,
      job.signal,
      asking.then((each) => each.map(({ platform }) => platform)),
    ),
    asking,
  ]);
  const open = asked.flatMap((one) => {
    const gaps = gapsOf(held, one.platform, request);
    return gaps === null ? [] : [{ ...one, ...gaps }];
  });
  if (open.length === 0 && request.after === null) return answerOf(held);
  const isLive = request.method === "searchbyquery";
  if (open.length > 0) await job.accepted?.();
  const parts = await Promise.all(
    open.map((one) => searchPlatform(context, { ...request, isLive }, held, one, job)),
  );
  const coverage = searchCoverage(held.coverage, {
    searched: parts,
    askable: asked.map(({ platform }) => platform),
    after: request.after,
    isLive,
  });
  return merged(request, held, { parts, coverage });
}

const answerOf = ({ tree, names, plan, isSearched, ...answer }: HeldAnswer): SourceAnswer => answer;

/** The platforms that can be asked to search in this job, and by whom. */
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
      const asked = { platform, access, whose: "any", bucket: null, host: null } as const;
      const impatient = { ...job, mostWaitMs: settings.searchWaitMs };
      return { platform, sessions: await sessions.open({ job: impatient, ...asked }) };
    }),
  );
  return each.filter((one) => one.sessions.length > 0);
}

/** Errors: the fault of a platform that may pass, where there is nothing else to answer with. */
function merged(
  { maxResults }: SearchRequest,
  held: HeldAnswer,
  { parts, coverage }: { parts: readonly PlatformPart[]; coverage: Coverage },
): SourceAnswer {
  const archivePart: MergedPart = { items: held.items, moreAfter: held.next };
  const { items, next } = merge([archivePart, ...parts.map(({ part }) => part)], maxResults);
  const fault = parts.find((part) => part.fault?.retryable === true)?.fault ?? null;
  if (items.length === 0 && next === null && fault !== null) throw fault;

  const isSearched = held.isSearched && parts.every((part) => part.isSearched);
  const given = new Set<unknown>(items);
  return {
    items,
    next,
    complete: held.isSearched && coverage.complete && parts.every(isWhole),
    coverage,
    sources: [
      ...held.sources.map((source) => ({
        ...source,
        count: held.items.filter((item) => item.platform === source.platform && given.has(item))
          .length,
      })),
      ...parts
        .flatMap(({ sources }) => sources)
        .map(({ source, items: found }) => ({
          ...source,
          count: found.filter((item) => given.has(item)).length,
        })),
      ...parts.flatMap(({ billed }) => billed),
    ],
    warnings: [
      ...warningsOf(coverage, items, isSearched || next === null || items.length === maxResults),
      ...held.warnings.filter(({ code }) => !ownWarnings.has(code)),
      ...parts.flatMap(({ warnings }) => warnings),
    ],
  };
}

/** What `warningsOf` says anew of the merged answer. */
const ownWarnings = new Set(["incomplete_coverage", "deadline_reached"]);

/** Whether the platform gave all that it was asked for. */
const isWhole = ({ fault }: PlatformPart): boolean => fault === null;
