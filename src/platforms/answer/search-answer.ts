import { heldIn, intersectionOf, type Span, unionOf } from "../../archive/coverage.ts";
import { EarshotError } from "../../lib/errors.ts";
import { idTimeMs, tellsTime } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { type HeldAnswer, searchHeld, warningsOf } from "../archive/search.ts";
import type { SearchMethod } from "../methods.ts";
import type { AskingJob, OpenSession } from "../requests/sessions.ts";
import type {
  AnswerRequest,
  Coverage,
  SourceAnswer,
  SourcePart,
  SourceWarning,
} from "../source.ts";
import { type AnswerContext, accessFor, wayOf } from "./context.ts";
import { idsAlone } from "./fetch-answer.ts";
import { fetchedItems } from "./fetched-items.ts";
import { inTurn } from "./in-turn.ts";
import { type MergedPart, merge, positionBefore } from "./merge.ts";
import { distinctRemarks } from "./remarks.ts";
import { type SearchedGaps, searchGaps } from "./search-gaps.ts";

export type SearchRequest = AnswerRequest & { method: SearchMethod };

/** Time that is kept for putting the answer together. */
const reserveMs = 2_000;

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
  const asked = await askable(context, request, job);
  const fedPlatforms = [...context.source.fedPlatforms, ...asked.map(({ platform }) => platform)];
  const held = await searchHeld(
    { ...context.source, fedPlatforms },
    request,
    job.deadlineMs,
    job.signal,
  );
  const open = asked.flatMap((one) => {
    const gaps = gapsOf(held, one.platform, request);
    return gaps === null ? [] : [{ ...one, ...gaps }];
  });
  if (open.length === 0) return answerOf(held);
  const parts = await Promise.all(
    open.map((one) => searchPlatform(context, request, held, one, job)),
  );
  return await merged(request, held, parts);
}

const answerOf = ({ tree, names, plan, isSearched, ...answer }: HeldAnswer): SourceAnswer => answer;

type Askable = { platform: Platform; sessions: readonly OpenSession[] };

/** The platforms that can be asked to search in this job, and by whom. */
async function askable(
  { sessions, upstreams }: AnswerContext,
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
      return { platform, sessions: await sessions.open({ job, ...asked }) };
    }),
  );
  return each.filter((one) => one.sessions.length > 0);
}

/** What the archive lacks of a platform: on this page, and older, which the next pages are to ask for. Oldest first. */
type Gaps = { gaps: readonly Span[]; olderThanMs: number | null };

function gapsOf(
  held: HeldAnswer,
  platform: Platform,
  { after, maxResults }: SearchRequest,
): Gaps | null {
  const known = held.coverage.platforms?.find(
    (each) => each.platform === platform && each.collection === "posts",
  );
  const { fromMs, toMs } = held.coverage;
  const lastMs = after === null ? toMs : idTimeMs(after.id) + skewMs(platform) + 1;
  const left = intersectionOf(known?.gaps ?? [], [{ fromMs, toMs: Math.min(toMs, lastMs) }]);
  if (left.length === 0) return null;
  const oldestMs = oldestOfPage(held, platform, maxResults);
  if (oldestMs === null) return { gaps: left, olderThanMs: null };
  const isMore = (left[0]?.fromMs ?? Number.NEGATIVE_INFINITY) < oldestMs;
  return { gaps: within(left, oldestMs), olderThanMs: isMore ? oldestMs : null };
}

/** X tells the times of its posts in whole seconds, which their IDs do not. */
const skewMs = (platform: Platform): number => (platform === "x" ? 1_000 : 0);

/** Where the archive alone fills the page: the time of its last post, as nothing older comes onto it. */
function oldestOfPage(
  { items }: HeldAnswer,
  platform: Platform,
  maxResults: number,
): number | null {
  const last = items.length < maxResults ? undefined : items.at(-1);
  return last?.id == null || !tellsTime(last.id) ? null : idTimeMs(last.id) - skewMs(platform);
}

type PlatformPart = {
  platform: Platform;
  searched: SearchedGaps | null;
  part: MergedPart;
  source: SourcePart | null;
  fault: EarshotError | null;
  warnings: readonly SourceWarning[];
};

async function searchPlatform(
  context: AnswerContext,
  request: SearchRequest,
  held: HeldAnswer,
  { platform, sessions, gaps, olderThanMs }: Askable & Gaps,
  { deadlineMs, signal }: AskingJob,
): Promise<PlatformPart> {
  const older = olderThanMs === null ? null : positionBefore(olderThanMs);
  const none = { platform, searched: null, source: null, fault: null, warnings: [] };
  if (gaps.length === 0) return { ...none, part: { items: [], moreAfter: older } };
  const { source, upstreams, settings } = context;
  const upstream = upstreams[platform];
  const nowMs = source.clock.now();
  try {
    const { answer: searched, session } = await inTurn(sessions, (one, rest) => {
      if (upstream.search === null) throw new Error(`${platform} has no search`);
      const reachMs = upstream.search.reachMs(one.access);
      const earliestMs = reachMs === null ? null : nowMs - reachMs;
      return searchGaps(context, {
        upstream: upstream.search,
        session: one,
        rest,
        gaps: earliestMs === null ? gaps : within(gaps, earliestMs),
        tree: held.tree,
        names: held.names,
        asOfMs: request.asOfMs,
        fromMs: held.coverage.fromMs,
        toMs: held.coverage.toMs,
        nowMs,
        after: request.after,
        limit: request.maxResults,
        maxPages: settings.maxPages,
        isOver: () => signal.aborted || source.clock.now() >= deadlineMs - reserveMs,
      });
    });
    const posts = searched.posts.map(({ post }) => ({ kind: "post", post }) as const);
    const items = await fetchedItems(source.archive, posts, { upstream, session });
    const cost = session.cost();
    const { fromMs = null } = gaps[0] ?? {};
    return {
      platform,
      searched,
      part: {
        items,
        // A fault ends the reading for good: what is older is told of as a gap, not waited for.
        moreAfter:
          searched.seenFromMs === null || searched.fault !== null
            ? older
            : positionBefore(searched.seenFromMs),
      },
      source: {
        platform,
        via: wayOf(session.access),
        fromMs,
        toMs: gaps.at(-1)?.toMs ?? held.coverage.toMs,
        count: items.length,
        ...(cost === null ? {} : { cost }),
      },
      fault: searched.fault,
      warnings: [
        ...distinctRemarks(searched.remarks),
        ...(searched.fault === null ? [] : [failed(platform, searched.fault)]),
        ...(items.length === 0 ? [] : idsAlone(upstream, session)),
      ],
    };
  } catch (fault) {
    const known = asFault(fault);
    if (known === null) throw fault;
    const warnings = [failed(platform, known)];
    return { ...none, part: { items: [], moreAfter: older }, fault: known, warnings };
  }
}

async function merged(
  { maxResults }: SearchRequest,
  held: HeldAnswer,
  parts: readonly PlatformPart[],
): Promise<SourceAnswer> {
  const archivePart: MergedPart = { items: held.items, moreAfter: held.next };
  const { items, next } = merge([archivePart, ...parts.map(({ part }) => part)], maxResults);
  const fault = parts.find((part) => part.fault?.retryable === true)?.fault ?? null;
  if (items.length === 0 && next === null && fault !== null) throw fault;

  const coverage = withoutGaps(held.coverage, parts);
  const isSearched = held.isSearched && parts.every(({ searched }) => searched?.seenFromMs == null);
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
      ...parts.flatMap(({ source, part }) =>
        source === null
          ? []
          : [{ ...source, count: part.items.filter((item) => given.has(item)).length }],
      ),
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

/** Whether nothing that the platform could still give is older than what it gave and newer than the page's end. */
const isWhole = ({ fault }: PlatformPart): boolean => fault === null;

/** The coverage with what platforms were searched for to its end counted as held. */
function withoutGaps(coverage: Coverage, parts: readonly PlatformPart[]): Coverage {
  const window = { fromMs: coverage.fromMs, toMs: coverage.toMs };
  const each = (coverage.platforms ?? []).map((known) => {
    const closed = parts.find(({ platform }) => platform === known.platform)?.searched?.closed;
    if (known.collection !== "posts" || closed === undefined || closed.length === 0) return known;
    const gaps = intersectionOf([...known.gaps], heldIn(window, unionOf(closed)));
    return { ...known, complete: gaps.length === 0, gaps, held: heldIn(window, gaps) };
  });
  const ofPosts = each.filter(({ collection }) => collection === "posts");
  if (ofPosts.length === 0) return coverage;
  const gaps = unionOf(ofPosts.flatMap((known) => known.gaps));
  return { ...coverage, complete: gaps.length === 0, gaps, platforms: each };
}

/** The part of spans that is not before a time. */
const within = (gaps: readonly Span[], earliestMs: number): readonly Span[] =>
  intersectionOf([...gaps], [{ fromMs: earliestMs, toMs: Number.MAX_SAFE_INTEGER }]);

const asFault = (thrown: unknown): EarshotError | null =>
  thrown instanceof EarshotError ? thrown : null;

const failed = (platform: Platform, { message, hint }: EarshotError): SourceWarning => ({
  code: "upstream_failed",
  message: `${platform} could not be asked for what is not held: ${message}`,
  ...(hint === undefined ? {} : { hint }),
});
