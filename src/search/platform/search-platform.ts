import type { EarshotError } from "../../lib/errors.ts";
import type {
  FetchedItem,
  SourcePart,
  SourceRequest,
  SourceWarning,
} from "../../platforms/source.ts";
import type { Platform } from "../../posts/post.ts";
import type { OpenSession, UpstreamJob } from "../../upstream/requests/sessions.ts";
import type { ArchivedAnswer } from "../archive/search.ts";
import type { AnswerContext } from "../context.ts";
import { searchErrorCode } from "../error-code.ts";
import type { SearchedPlatform } from "../merge/completeness.ts";
import { distinctWarnings } from "../merge/distinct-warnings.ts";
import { type MergedPart, positionBefore } from "../merge/merge.ts";
import { idsOnlyWarnings } from "../methods/fetch-answer.ts";
import { billedParts, makeSourcePart } from "./billed-parts.ts";
import type { Gaps } from "./platform-gaps.ts";
import { readGaps } from "./read-gaps.ts";

export type RequestablePlatform = { platform: Platform; sessions: readonly OpenSession[] };

export type PlatformPart = SearchedPlatform & {
  isFullySearched: boolean;
  mergedPart: MergedPart;
  sources: readonly { source: SourcePart; items: readonly FetchedItem[] }[];
  billedSources: readonly SourcePart[];
  error: EarshotError | null;
  warnings: readonly SourceWarning[];
};

export async function searchPlatform(
  context: AnswerContext,
  request: SourceRequest & { isLive: boolean },
  archivedAnswer: ArchivedAnswer,
  { platform, sessions, gaps, olderThanMs }: RequestablePlatform & Gaps,
  job: UpstreamJob,
): Promise<PlatformPart> {
  const upstream = context.upstreams[platform];
  const { search } = upstream;
  if (search === null) throw new Error(`${platform} has no search`);
  const { isLive } = request;
  const gapRequest = {
    request,
    isLive,
    archived: archivedAnswer,
    upstream,
    search,
    sessions,
    gaps,
    job,
  };
  const { readings, seenFromMs, remainingGaps, failures, error } = await readGaps(
    context,
    gapRequest,
  );
  const olderPosition = olderThanMs === null ? null : positionBefore(olderThanMs);
  const usedSessions = readings.map(({ attempt }) => attempt.session);
  const unusedSessions = sessions.filter((session) => !usedSessions.includes(session));
  const span = {
    fromMs: gaps[0]?.fromMs ?? null,
    toMs: gaps.at(-1)?.toMs ?? archivedAnswer.coverage.toMs,
  };
  return {
    platform,
    closedSpans: [
      ...readings.flatMap(({ searched }) => searched.closedSpans),
      ...(search.isExhaustive ? remainingGaps : []),
    ],
    sinceMs: remainingGaps.length > 0 ? null : (readings.at(-1)?.searched.sinceMs ?? null),
    isFullySearched: seenFromMs === null,
    mergedPart: {
      items: readings.flatMap(({ items }) => items),
      // After an error, older posts are a gap, not left to later pages.
      moreAfter: seenFromMs === null || error !== null ? olderPosition : positionBefore(seenFromMs),
    },
    sources: readings.map(({ attempt, span: readingSpan, items }) => ({
      source: makeSourcePart(attempt.session, { platform, ...readingSpan }, items.length),
      items,
    })),
    billedSources: billedParts(unusedSessions, { platform, ...span }),
    error,
    warnings: distinctWarnings([
      ...readings.flatMap(({ searched }) => searched.warnings),
      ...[...failures, ...(error === null ? [] : [error])].map((earshotError) =>
        failureWarning(platform, earshotError),
      ),
      ...readings.flatMap(({ attempt, items }) =>
        items.length === 0 ? [] : idsOnlyWarnings(upstream, attempt.session),
      ),
    ]),
  };
}

const failureWarning = (platform: Platform, error: EarshotError): SourceWarning => ({
  code: searchErrorCode(error),
  message: `${platform} could not be searched for posts that are not archived: ${error.message}`,
  ...(error.hint === undefined ? {} : { hint: error.hint }),
});
