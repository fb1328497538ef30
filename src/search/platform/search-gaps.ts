import type { Position } from "../../archive/archive.ts";
import { comesAfter } from "../../archive/read/search.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Span } from "../../lib/spans.ts";
import type { Session } from "../../platforms/session.ts";
import type {
  SearchCall,
  UpstreamPage,
  UpstreamSearch,
  UpstreamWarning,
} from "../../platforms/upstream.ts";
import { itemKey } from "../../platforms/upstream-page.ts";
import { hasTime, idTimeMs, postTimeMs } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import type { AnswerContext } from "../context.ts";
import { fullyReadSpans, type Reading } from "../merge/completeness.ts";
import { archiveIds } from "../methods/fetched-items.ts";
import { matchingPosts, type SearchCriteria } from "./matching-posts.ts";
import {
  emptyPagesWarning,
  pageUnavailableWarning,
  repeatedPagesWarning,
  searchTimeoutWarning,
  stuckWarning,
  tooManyPagesWarning,
} from "./page-warnings.ts";
import { watchIdlePages, watchItems } from "./watch-items.ts";

type GapPost = { position: Position; post: Post };

export type GapSearchResult = {
  posts: readonly GapPost[];
  /** Spans searched completely or left to later pages, oldest first. */
  closedSpans: readonly Span[];
  seenFromMs: number | null;
  error: EarshotError | null;
} & Reading;

export type GapSearch = SearchCriteria & {
  upstream: UpstreamSearch;
  session: Session;
  patientSession: Session;
  /** Oldest first. */
  gaps: readonly Span[];
  route: string;
  /** Only posts strictly after this position; null for all. */
  after: Position | null;
  limit: number;
  maxPages: number;
  isOver: () => boolean;
};

/**
 * Multiplies `maxPages` while the platform only repeats posts at or after the end of the
 * previous page.
 */
const repeatedPagesFactor = 10;

function recordItems(
  watcher: ReturnType<typeof watchItems>,
  page: UpstreamPage,
  nowMs: number,
): void {
  if (page.hasRepeats) watcher.markRepeated();
  for (const item of page.items) {
    watcher.add(itemKey(item), item.kind === "post" ? postTimeMs(item.post, nowMs) : null);
  }
}

/**
 * Searches the newest gap first, until there are enough posts. Throws the first page's error, so
 * that another credential can be tried; a later error ends the search with what was found.
 */
export async function searchGaps(
  { source: { archive } }: AnswerContext,
  search: GapSearch,
): Promise<GapSearchResult> {
  const { upstream, session, after, limit, maxPages, nowMs } = search;
  const { platform } = session;
  const gapPosts: GapPost[] = [];
  const closedSpans: Span[] = [];
  const warnings: UpstreamWarning[] = [];
  const seenUris = new Set<string>();
  let sinceMs: number | null = null;
  /** The time of the last post on the previous page, whose posts the platform sends again. */
  const resumeMs = after === null || !hasTime(after.id) ? null : idTimeMs(after.id);
  let pages = 0;

  const endSearch = (
    seenFromMs: number | null,
    error: EarshotError | null = null,
  ): GapSearchResult => ({
    posts: gapPosts,
    closedSpans: closedSpans.toReversed(),
    seenFromMs,
    error,
    warnings,
    sinceMs,
  });
  const close = (gaps: readonly Span[], readWarnings: readonly UpstreamWarning[]): void => {
    if (upstream.isExhaustive) {
      closedSpans.push(...fullyReadSpans(gaps, { warnings: readWarnings, sinceMs }).toReversed());
    }
  };

  for (const [index, gap] of [...search.gaps.entries()].toReversed()) {
    const olderGaps = search.gaps.slice(0, index);
    if (gapPosts.length >= limit) {
      close([...olderGaps, gap], []);
      return endSearch(gap.toMs);
    }
    const gapWarnings: UpstreamWarning[] = [];
    const watcher = watchItems(platform);
    const warn = (...all: readonly UpstreamWarning[]): void => {
      gapWarnings.push(...all);
      warnings.push(...all);
    };
    const cursors = new Set<string>();
    let cursor: string | null = null;
    let seenFromMs = gap.toMs;
    const idlenessAfter = watchIdlePages();
    for (;;) {
      const isStuck = gapPosts.length === 0 && resumeMs !== null && seenFromMs >= resumeMs;
      if (isStuck && pages >= repeatedPagesFactor * maxPages) {
        warn(stuckWarning(platform, pages));
        break;
      }
      if (!isStuck && pages >= maxPages) {
        warnings.push(tooManyPagesWarning(platform, maxPages));
        return endSearch(seenFromMs);
      }
      if (search.isOver()) {
        warnings.push(searchTimeoutWarning(platform));
        return endSearch(seenFromMs);
      }
      pages += 1;
      const { tree, names, asOfMs } = search;
      const pageOptions = { limit: limit - gapPosts.length, route: search.route };
      const call: SearchCall = { tree, names, asOfMs, ...gap, cursor, ...pageOptions };
      const page: UpstreamPage | null | EarshotError = await upstream
        .page(call, pages === 1 ? session : search.patientSession)
        .catch((thrown: unknown) => {
          if (pages === 1 || !(thrown instanceof EarshotError)) throw thrown;
          return thrown;
        });
      if (page instanceof EarshotError) return endSearch(seenFromMs, page);
      if (page === null) {
        closedSpans.push(gap);
        break;
      }
      if (page.isAbsent && cursor !== null) {
        warn(pageUnavailableWarning(platform));
        break;
      }
      const { sinceMs: pageSinceMs } = page;
      if (pageSinceMs !== undefined) sinceMs = Math.max(sinceMs ?? pageSinceMs, pageSinceMs);
      warn(...(page.warnings ?? []));
      // Otherwise, inconsistent pages do not mean that posts are missing.
      if (upstream.isExhaustive) recordItems(watcher, page, nowMs);
      const posts = page.items.flatMap((item) =>
        item.kind === "post" && !seenUris.has(item.post.uri) ? [item.post] : [],
      );
      for (const { uri } of posts) seenUris.add(uri);
      const postsWithLanguages = await archive.withLanguages(posts);
      const ids = await archiveIds(archive, postsWithLanguages, nowMs);
      for (const post of matchingPosts(postsWithLanguages, ids, { ...search, ...gap })) {
        const position = { platform: post.platform, id: ids.get(post.uri) ?? 0n };
        if (after !== null && !comesAfter({ ...position, uri: post.uri }, after)) continue;
        gapPosts.push({ position, post });
      }
      const times = postsWithLanguages.map((post) => postTimeMs(post, nowMs));
      seenFromMs = Math.min(seenFromMs, page.oldestMs ?? seenFromMs, ...times);
      if (page.next === null) {
        warn(...watcher.warnings());
        if (!page.isAbsent) close([gap], gapWarnings);
        break;
      }
      if (gapPosts.length >= limit) {
        warn(...watcher.warnings());
        close([gap], gapWarnings);
        close(olderGaps, []);
        return endSearch(seenFromMs);
      }
      const idleness = cursors.has(page.next) ? "repeated" : idlenessAfter(page, posts.length > 0);
      if (idleness !== "none") {
        warn(
          idleness === "empty"
            ? emptyPagesWarning(platform, "retry later")
            : repeatedPagesWarning(platform),
        );
        break;
      }
      cursors.add(page.next);
      cursor = page.next;
    }
  }
  return endSearch(null);
}
