import { EarshotError } from "../../lib/errors.ts";
import { intersectSpans, type Span } from "../../lib/spans.ts";
import type { FetchedItem, SourceRequest } from "../../platforms/source.ts";
import type { Upstream, UpstreamSearch } from "../../platforms/upstream.ts";
import type { OpenSession, UpstreamJob } from "../../upstream/requests/sessions.ts";
import type { ArchivedAnswer } from "../archive/search.ts";
import type { AnswerContext } from "../context.ts";
import { clippedFrom, liveToleranceMs } from "../merge/completeness.ts";
import { toFetchedItems } from "../methods/fetched-items.ts";
import {
  failedBetterAttempts,
  listAttempts,
  type RankedAttempts,
  rankAttempts,
  reachStartMs,
  type UpstreamAttempt,
} from "./attempts.ts";
import { type GapSearchResult, searchGaps } from "./search-gaps.ts";
import { tryInOrder } from "./try-in-order.ts";

const reserveMs = 2_000;

export type GapRequest = {
  request: SourceRequest;
  isLive: boolean;
  archived: ArchivedAnswer;
  upstream: Upstream;
  search: UpstreamSearch;
  sessions: readonly OpenSession[];
  gaps: readonly Span[];
  job: UpstreamJob;
};

type GapReading = {
  attempt: UpstreamAttempt;
  span: Span;
  searched: GapSearchResult;
  items: readonly FetchedItem[];
};

export type ReadGapsResult = {
  readings: readonly GapReading[];
  seenFromMs: number | null;
  remainingGaps: readonly Span[];
  failures: readonly EarshotError[];
  error: EarshotError | null;
};

/**
 * Uses the attempt that covers the most, then the next best for the rest, until there are enough
 * posts.
 */
export async function readGaps(
  context: AnswerContext,
  gapRequest: GapRequest,
): Promise<ReadGapsResult> {
  const { search, upstream, sessions, request, isLive } = gapRequest;
  const nowMs = context.source.clock.now();
  const readings: GapReading[] = [];
  const failures: EarshotError[] = [];
  let remainingGaps = gapRequest.gaps;
  let attempts = listAttempts(sessions, search.routes);
  let limit = request.maxResults;

  const endReading = (result: Partial<ReadGapsResult> = {}): ReadGapsResult => ({
    readings,
    seenFromMs: null,
    remainingGaps: [],
    failures,
    error: null,
    ...result,
  });

  for (;;) {
    const usefulAttempts = attempts.filter(
      (attempt) => reachedBy(attempt, remainingGaps, nowMs).length > 0,
    );
    if (usefulAttempts.length === 0) return endReading();
    const ranks = rankAttempts(usefulAttempts, {
      displayScope: upstream.displayScope,
      fromMs: remainingGaps[0]?.fromMs ?? null,
      nowMs,
      toleranceMs: isLive ? liveToleranceMs : 0,
    });
    const outcome = await readOnce(context, gapRequest, { ranks, remainingGaps, limit, nowMs });
    if (outcome instanceof EarshotError) {
      if (readings.length === 0) return endReading({ error: outcome });
      failures.push(outcome);
      return endReading();
    }
    const { reading, failed: failedAttempts } = outcome;
    const { attempt, searched } = reading;
    readings.push(reading);
    failures.push(
      ...failedBetterAttempts(attempt, failedAttempts, ranks).map(({ error }) => error),
    );
    if (searched.error !== null) {
      return endReading({ seenFromMs: searched.seenFromMs, error: searched.error });
    }
    limit -= searched.posts.length;
    remainingGaps = unreachedBy(attempt, remainingGaps, nowMs);
    if (isLive && totalLength(remainingGaps) <= liveToleranceMs) remainingGaps = [];
    const spentAttempts = new Set(failedAttempts.map((failedAttempt) => failedAttempt.attempt));
    attempts = attempts.filter((other) => !spentAttempts.has(other) && isFurther(other, attempt));
    const laterGaps = attempts.length === 0 ? [] : remainingGaps;
    const { seenFromMs } = searched;
    if (seenFromMs !== null) return endReading({ seenFromMs, remainingGaps: laterGaps });
    if (limit <= 0)
      return endReading({ seenFromMs: laterGaps.at(-1)?.toMs ?? null, remainingGaps: laterGaps });
  }
}

type Round = {
  ranks: RankedAttempts;
  remainingGaps: readonly Span[];
  limit: number;
  nowMs: number;
};

async function readOnce(
  context: AnswerContext,
  { request, archived, upstream, search, job }: GapRequest,
  { ranks, remainingGaps, limit, nowMs }: Round,
) {
  const { source, settings } = context;
  const { tree, names, coverage } = archived;
  const { asOfMs, after } = request;
  const { fromMs, toMs } = coverage;
  const isOver = () => job.signal.aborted || source.clock.now() >= job.deadlineMs - reserveMs;
  const sharedOptions = {
    upstream: search,
    tree,
    names,
    asOfMs,
    after,
    fromMs,
    toMs,
    nowMs,
    limit,
    isOver,
  };
  try {
    const outcome = await tryInOrder(ranks, (attempt, session, patientSession) =>
      searchGaps(context, {
        ...sharedOptions,
        session,
        patientSession,
        gaps: reachedBy(attempt, remainingGaps, nowMs),
        route: attempt.route.name,
        maxPages: settings.maxPages,
      }),
    );
    const { attempt, answer: searched, failedAttempts } = outcome;
    const posts = searched.posts.map(({ post }) => ({ kind: "post", post }) as const);
    const fetchContext = { upstream, session: attempt.session };
    const items = await toFetchedItems(source.archive, posts, fetchContext);
    const reachedSpans = reachedBy(attempt, remainingGaps, nowMs);
    const span = {
      fromMs: reachedSpans[0]?.fromMs ?? null,
      toMs: reachedSpans.at(-1)?.toMs ?? toMs,
    };
    return { reading: { attempt, span, searched, items }, failed: failedAttempts };
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
    throw thrown;
  }
}

function reachedBy(
  { route }: UpstreamAttempt,
  spans: readonly Span[],
  nowMs: number,
): readonly Span[] {
  const earliestMs = reachStartMs(route, nowMs);
  return earliestMs === null ? spans : clippedFrom(spans, earliestMs);
}

function unreachedBy(
  { route }: UpstreamAttempt,
  spans: readonly Span[],
  nowMs: number,
): readonly Span[] {
  const earliestMs = reachStartMs(route, nowMs);
  return earliestMs === null
    ? []
    : intersectSpans([...spans], [{ fromMs: null, toMs: earliestMs }]);
}

const totalLength = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + toMs - (fromMs ?? Number.NEGATIVE_INFINITY), 0);

function isFurther({ route }: UpstreamAttempt, baseline: UpstreamAttempt): boolean {
  const { reachMs } = baseline.route;
  return reachMs !== null && (route.reachMs === null || route.reachMs > reachMs);
}
