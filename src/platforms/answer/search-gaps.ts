import type { Position } from "../../archive/archive.ts";
import type { Span } from "../../archive/coverage.ts";
import { comparePositions } from "../../archive/search.ts";
import { EarshotError } from "../../lib/errors.ts";
import { idTimeMs, postTimeMs, tellsTime } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import type { Session } from "../session.ts";
import type { SearchCall, UpstreamPage, UpstreamRemark, UpstreamSearch } from "../upstream.ts";
import { unreadableCode } from "../upstream-page.ts";
import { type CheckedSearch, matching } from "./check.ts";
import type { AnswerContext } from "./context.ts";
import { idsOf } from "./fetched-items.ts";
import { watchIdlePages } from "./idle-pages.ts";
import { emptyPages, gone, outOfTime, repeats, stuck, tooManyPages } from "./page-remarks.ts";

/** A post that a platform gave and the matcher let through, with its place in the order of answers. */
type GapPost = { position: Position; post: Post };

export type SearchedGaps = {
  posts: readonly GapPost[];
  /** What the platform tells completely, oldest first: it was searched to its end, or is from here on by the next pages. */
  closed: readonly Span[];
  /** Down to here everything that the platform gives was seen; null where all gaps were gone through. */
  seenFromMs: number | null;
  /** Why it ended early, where it did not end by having enough. */
  fault: EarshotError | null;
  remarks: readonly UpstreamRemark[];
};

export type GapSearch = CheckedSearch & {
  upstream: UpstreamSearch;
  /** The session for the first page, and for those that follow. */
  session: Session;
  rest: Session;
  /** Oldest first. */
  gaps: readonly Span[];
  /** Only posts strictly after it in the order; null for all. */
  after: Position | null;
  limit: number;
  maxPages: number;
  /** Whether the time that the search has is over. */
  isOver: () => boolean;
};

/** How many times `maxPages` may be read where all that comes is of the moment at which the page before ended. */
const mostRepeated = 10;

/**
 * Asks a platform for the posts in the gaps of what is held, the newest gap first, until there are as many as wanted. A fault
 * ends it with what was found until then; the fault of the very first page is thrown, as another credential may not have it.
 */
export async function searchGaps(
  { source: { archive } }: AnswerContext,
  search: GapSearch,
): Promise<SearchedGaps> {
  const { upstream, session, after, limit, maxPages, nowMs } = search;
  const { platform } = session;
  const found: GapPost[] = [];
  const closed: Span[] = [];
  const remarks: UpstreamRemark[] = [];
  const seen = new Set<string>();
  /** The time at which the page before ended: posts of that moment come once more. */
  const startMs = after === null || !tellsTime(after.id) ? null : idTimeMs(after.id);
  let pages = 0;

  const ended = (seenFromMs: number | null, fault: EarshotError | null = null): SearchedGaps => ({
    posts: found,
    closed: closed.toReversed(),
    seenFromMs,
    fault,
    remarks,
  });
  /** The next page of the answer goes on where this one has enough. */
  const enough = (seenFromMs: number): SearchedGaps => ({
    ...ended(seenFromMs),
    ...(upstream.isExhaustive ? { closed: search.gaps } : {}),
  });

  for (const gap of search.gaps.toReversed()) {
    if (found.length >= limit) return enough(gap.toMs);
    const cursors = new Set<string>();
    let cursor: string | null = null;
    let seenFromMs = gap.toMs;
    const idlenessOf = watchIdlePages();
    for (;;) {
      const isStuck = found.length === 0 && startMs !== null && seenFromMs >= startMs;
      if (isStuck && pages >= mostRepeated * maxPages) {
        remarks.push(stuck(platform, pages));
        break;
      }
      if (!isStuck && pages >= maxPages) {
        remarks.push(tooManyPages(platform, maxPages));
        return ended(seenFromMs);
      }
      if (search.isOver()) {
        remarks.push(outOfTime(platform));
        return ended(seenFromMs);
      }
      pages += 1;
      const { tree, names, asOfMs } = search;
      const call: SearchCall = { tree, names, asOfMs, ...gap, cursor, limit: limit - found.length };
      const page: UpstreamPage | null | EarshotError = await upstream
        .page(call, pages === 1 ? session : search.rest)
        .catch((fault: unknown) => {
          if (pages === 1 || !(fault instanceof EarshotError)) throw fault;
          return fault;
        });
      if (page instanceof EarshotError) return ended(seenFromMs, page);
      if (page === null) {
        closed.push(gap);
        break;
      }
      if (page.isAbsent && cursor !== null) {
        remarks.push(gone(platform));
        break;
      }
      remarks.push(...(page.remarks ?? []));
      const posts = page.items.flatMap((item) =>
        item.kind === "post" && !seen.has(item.post.uri) ? [item.post] : [],
      );
      for (const { uri } of posts) seen.add(uri);
      const known = await archive.withLanguages(posts);
      const ids = await idsOf(archive, known, nowMs);
      for (const post of matching(known, ids, { ...search, ...gap })) {
        const position = { platform: post.platform, id: ids.get(post.uri) ?? 0n };
        if (after !== null && comparePositions(position, after) <= 0) continue;
        found.push({ position, post });
      }
      const times = known.map((post) => postTimeMs(post, nowMs));
      seenFromMs = Math.min(seenFromMs, page.oldestMs ?? seenFromMs, ...times);
      if (page.next === null) {
        const isAll =
          upstream.isExhaustive && !page.isAbsent && !(page.remarks ?? []).some(isIncomplete);
        if (isAll) closed.push(gap);
        break;
      }
      if (found.length >= limit) return enough(seenFromMs);
      const idleness = cursors.has(page.next) ? "repeated" : idlenessOf(page, posts.length > 0);
      if (idleness !== "none") {
        remarks.push(
          idleness === "empty" ? emptyPages(platform, "search again later") : repeats(platform),
        );
        break;
      }
      cursors.add(page.next);
      cursor = page.next;
    }
  }
  return ended(null);
}

/** A page of which something could not be read is not all there is. */
const isIncomplete = ({ code }: UpstreamRemark): boolean => code === unreadableCode;
