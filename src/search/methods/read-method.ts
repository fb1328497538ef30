import { EarshotError } from "../../lib/errors.ts";
import type { Span } from "../../lib/spans.ts";
import type { FetchedItem, SourceWarning } from "../../platforms/source.ts";
import {
  anyRoute,
  type FetchPosition,
  onlyRoute,
  type Route,
  type Upstream,
} from "../../platforms/upstream.ts";
import type { OpenSession } from "../../upstream/requests/sessions.ts";
import { type AnswerContext, accessFor } from "../context.ts";
import { isUntruncated, missingSpans } from "../merge/completeness.ts";
import {
  failedBetterAttempts,
  listAttempts,
  rankAttempts,
  type UpstreamAttempt,
} from "../platform/attempts.ts";
import { olderItemsMissingWarning } from "../platform/page-warnings.ts";
import { firstPage, type ReadPagesResult, readPages } from "../platform/pages.ts";
import { tryInOrder } from "../platform/try-in-order.ts";
import { earliestMatchMs } from "./archived-answer.ts";
import type { FetchRequest } from "./fetch-request.ts";
import { toFetchedItems } from "./fetched-items.ts";
import { credentialCommand } from "./unanswerable.ts";

type MethodReading = {
  attempt: UpstreamAttempt;
  pages: ReadPagesResult;
  items: readonly FetchedItem[];
};

export type ReadMethodResult = {
  readings: readonly MethodReading[];
  position: FetchPosition | null;
  requestedSpan: Span;
  gaps: readonly Span[];
  warnings: readonly SourceWarning[];
  failures: readonly EarshotError[];
};

/**
 * Reads with the attempt that shows the most, then beyond its reach with the next best.
 * `openOthers` opens sessions for all credentials, not only the cursor's. Errors: those of
 * `tryInOrder`, if nothing was read.
 */
export async function readMethod(
  context: AnswerContext,
  request: FetchRequest,
  sessions: readonly OpenSession[],
  openOthers: () => Promise<readonly OpenSession[]>,
): Promise<ReadMethodResult> {
  const { method, platform, target = null, position = null, asOfMs, maxResults } = request;
  const upstream = context.upstreams[platform];
  const { archive, clock } = context.source;
  const accessRoutes = (access: UpstreamAttempt["session"]["access"]) =>
    upstream.routes?.(method, access) ?? onlyRoute;
  const nowMs = clock.now();
  const requestedSpan = { fromMs: target && earliestMatchMs(method, target), toMs: asOfMs };
  const readings: MethodReading[] = [];
  const failures: EarshotError[] = [];
  const seenUris = new Set<string>();
  let toMs: number | null = position?.toMs ?? null;
  let attempts = listAttempts(sessions, (access) =>
    position === null ? accessRoutes(access) : [requireRoute(position, accessRoutes(access))],
  );
  let limit = maxResults;

  for (;;) {
    const start = readings.length === 0 ? (position ?? firstPage) : firstPage;
    const { displayScope } = upstream;
    const ranks = rankAttempts(attempts, {
      displayScope,
      fromMs: requestedSpan.fromMs,
      nowMs,
      toleranceMs: 0,
    });
    const sharedOptions = { start, limit, maxPages: context.settings.maxPages, name: platform };
    const outcome = await tryInOrder(ranks, ({ route }, firstSession, patientSession) =>
      readPages({
        ...sharedOptions,
        read: (cursor, count) =>
          upstream.page(
            { method, target, cursor, limit: count, route: route.name, toMs },
            cursor === start.cursor ? firstSession : patientSession,
          ),
      }),
    ).catch((thrown: unknown) => {
      if (readings.length === 0 || !(thrown instanceof EarshotError)) throw thrown;
      return thrown;
    });
    if (outcome instanceof EarshotError) {
      failures.push(outcome);
      break;
    }
    const { attempt, answer: pages } = outcome;
    const { session } = attempt;
    const pageItems = await toFetchedItems(archive, pages.items, { upstream, session });
    const items = pageItems.filter(({ uri }) => uri === null || !seenUris.has(uri));
    for (const { uri } of items) if (uri !== null) seenUris.add(uri);
    readings.push({ attempt, pages, items });
    failures.push(
      ...failedBetterAttempts(attempt, outcome.failedAttempts, ranks).map(({ error }) => error),
    );
    limit -= items.length;
    const { sinceMs } = pages;
    if (pages.position !== null || sinceMs === null || limit <= 0) break;
    if (missingSpans(requestedSpan, pages).length === 0) break;
    toMs = sinceMs;
    const failedAttempts = outcome.failedAttempts.map((failedAttempt) => failedAttempt.attempt);
    attempts = listAttempts(await openOthers(), accessRoutes).filter(
      ({ session: other, route }) =>
        (route.reachMs === null || nowMs - route.reachMs < sinceMs) &&
        !failedAttempts.some(
          (upstreamAttempt) =>
            upstreamAttempt.route === route && isSameSession(upstreamAttempt.session, other),
        ),
    );
    if (attempts.length === 0) break;
  }

  const lastReading = readings.at(-1);
  const gaps = gapsOf(requestedSpan, readings);
  const isTruncated =
    lastReading !== undefined && gaps.length > 0 && isUntruncated(lastReading.pages.warnings);
  return {
    readings,
    position: positionAfter(platform, lastReading, toMs),
    requestedSpan,
    gaps,
    failures,
    warnings: isTruncated
      ? [olderItemsMissingWarning(request, lastReading.pages, hintFor(upstream, request, sessions))]
      : [],
  };
}

const isSameSession = (a: OpenSession, b: OpenSession): boolean =>
  a.credentialId === b.credentialId && a.access === b.access;

function positionAfter(
  platform: FetchRequest["platform"],
  lastReading: MethodReading | undefined,
  toMs: number | null,
): FetchPosition | null {
  if (lastReading === undefined || lastReading.pages.position === null) return null;
  const { session, route } = lastReading.attempt;
  return {
    platform,
    credentialId: session.credentialId,
    ...lastReading.pages.position,
    ...(route === anyRoute ? {} : { route: route.name }),
    ...(toMs === null ? {} : { toMs }),
  };
}

const requireRoute = ({ route: name }: FetchPosition, routes: readonly Route[]): Route =>
  routes.find((route) => route.name === name) ?? routes[0] ?? anyRoute;

function gapsOf(requestedSpan: Span, readings: readonly MethodReading[]): readonly Span[] {
  const lastReading = readings.at(-1);
  if (lastReading === undefined || !readings.every(({ pages }) => isUntruncated(pages.warnings))) {
    return [requestedSpan];
  }
  return lastReading.pages.position === null ? missingSpans(requestedSpan, lastReading.pages) : [];
}

function hintFor(
  upstream: Upstream,
  { method, type }: FetchRequest,
  sessions: readonly OpenSession[],
): string | undefined {
  const furtherAccess = accessFor(type, method, upstream).find(
    (access) =>
      !sessions.some((session) => session.access === access) &&
      (upstream.routes?.(method, access) ?? onlyRoute).some(({ reachMs }) => reachMs === null),
  );
  const command =
    furtherAccess === undefined ? null : credentialCommand(upstream.platform, furtherAccess);
  return command === null ? undefined : `read further back with ${command}`;
}
