import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";
import type { HeldAnswer } from "../archive/search.ts";
import type { AskingJob, OpenSession } from "../requests/sessions.ts";
import type { SourcePart, SourceRequest, SourceWarning } from "../source.ts";
import { billedParts, partBy } from "./billed-parts.ts";
import type { AnswerContext } from "./context.ts";
import { codeOfFault } from "./fault-code.ts";
import { idsAlone } from "./fetch-answer.ts";
import { fetchedItems } from "./fetched-items.ts";
import { inTurn } from "./in-turn.ts";
import { type MergedPart, positionBefore } from "./merge.ts";
import { type Gaps, within } from "./platform-gaps.ts";
import { distinctRemarks } from "./remarks.ts";
import { type SearchedGaps, searchGaps } from "./search-gaps.ts";

/** Time that is kept for putting the answer together. */
const reserveMs = 2_000;

/** A platform and the ways to ask it. */
export type Askable = { platform: Platform; sessions: readonly OpenSession[] };

/** What one platform adds to an answer. */
export type PlatformPart = {
  platform: Platform;
  searched: SearchedGaps | null;
  part: MergedPart;
  source: SourcePart | null;
  /** What was spent on the way without anything to show for it. */
  billed: readonly SourcePart[];
  fault: EarshotError | null;
  warnings: readonly SourceWarning[];
};

/** Asks a platform for what the archive lacks. Its faults are told in the part, and any other is thrown. */
export async function searchPlatform(
  context: AnswerContext,
  request: SourceRequest,
  held: HeldAnswer,
  { platform, sessions, gaps, olderThanMs }: Askable & Gaps,
  { deadlineMs, signal }: AskingJob,
): Promise<PlatformPart> {
  const older = olderThanMs === null ? null : positionBefore(olderThanMs);
  const none = { platform, searched: null, source: null, billed: [], fault: null, warnings: [] };
  if (gaps.length === 0) return { ...none, part: { items: [], moreAfter: older } };
  const { source, upstreams, settings } = context;
  const upstream = upstreams[platform];
  const nowMs = source.clock.now();
  const { fromMs = null } = gaps[0] ?? {};
  const span = { platform, fromMs, toMs: gaps.at(-1)?.toMs ?? held.coverage.toMs };
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
      source: partBy(session, span, items.length),
      billed: billedParts(
        sessions.filter((other) => other !== session),
        span,
      ),
      fault: searched.fault,
      warnings: [
        ...distinctRemarks(searched.remarks),
        ...(searched.fault === null ? [] : [failed(platform, searched.fault)]),
        ...(items.length === 0 ? [] : idsAlone(upstream, session)),
      ],
    };
  } catch (fault) {
    if (!(fault instanceof EarshotError)) throw fault;
    const warnings = [failed(platform, fault)];
    const billed = billedParts(sessions, span);
    return { ...none, part: { items: [], moreAfter: older }, billed, fault, warnings };
  }
}

const failed = (platform: Platform, fault: EarshotError): SourceWarning => ({
  code: codeOfFault(fault),
  message: `${platform} could not be asked for what is not held: ${fault.message}`,
  ...(fault.hint === undefined ? {} : { hint: fault.hint }),
});
