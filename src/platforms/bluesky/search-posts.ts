import { EarshotError } from "../../lib/errors.ts";
import { isoText } from "../../lib/iso-time.ts";
import { postTimeMs } from "../../posts/ids.ts";
import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import {
  onlyRoute,
  type SearchCall,
  type UpstreamPage,
  type UpstreamSearch,
  type UpstreamWarning,
} from "../upstream.ts";
import { emptyPage, itemsPage, type PageItem, pageToken } from "../upstream-page.ts";
import { readPostView, readViewTimes } from "./post-view.ts";
import { type AppView, makeBlueskyError, type Query, tryAppView } from "./request.ts";
import type { BlueskyRequest } from "./search-alternatives.ts";
import {
  type AlternativePage,
  firstMergePositions,
  mergeNewest,
  readMergePositions,
  writeMergePositions,
} from "./search-merge.ts";
import { narrowRequestsFor, requestsFor } from "./search-requests.ts";
import { blueskyName, toPageItem } from "./view-page.ts";
import type { Refusal } from "./xrpc.ts";

const method = "app.bsky.feed.searchPosts";
const maxItems = 100;

/** The platform's index may miss posts. */
export const blueskySearch = (appView: AppView): UpstreamSearch => ({
  routes: () => onlyRoute,
  isExhaustive: false,
  page: async (call, session) => await searchPage(call, session, appView),
});

async function searchPage(
  call: SearchCall,
  session: Session,
  appView: AppView,
): Promise<UpstreamPage | null> {
  const { tree, names, fromMs, toMs } = call;
  if (fromMs !== null && fromMs >= toMs) return null;
  const requests = requestsFor(tree, names);
  const narrowRequests = requests === null ? narrowRequestsFor(tree, names) : null;
  const alternatives = requests ?? narrowRequests;
  if (alternatives === null) return { ...emptyPage, warnings: [notExpressibleWarning] };
  if (alternatives.length === 0) return null;
  const positions =
    call.cursor === null
      ? firstMergePositions(alternatives.length)
      : readMergePositions(call.cursor, alternatives.length);
  if (positions === null) throw foreignCursorError();

  const pages: (AlternativePage<PageItem> | null)[] = [];
  const unreadable: PageItem[] = [];
  for (const [index, request] of alternatives.entries()) {
    const position = positions.positions[index];
    if (position === undefined || position.isAtEnd) {
      pages.push(null);
      continue;
    }
    const outcome = await tryAppView(
      session,
      appView,
      method,
      parameters(request, call, position.cursor),
    );
    if ("refusal" in outcome) return unavailablePage(outcome.refusal, session);
    const page = readAlternativePage(outcome.fields, session.nowMs);
    pages.push(page);
    unreadable.push(...page.unreadable);
  }
  const { items, nextPositions } = mergeNewest(positions, pages);
  return itemsPage([...items, ...unreadable], {
    name: blueskyName,
    next: nextPositions === null ? null : writeMergePositions(nextPositions),
    nowMs: session.nowMs,
    warnings: narrowRequests === null ? [] : [narrowedWarning],
  });
}

function parameters(
  request: BlueskyRequest,
  { fromMs, toMs, limit }: SearchCall,
  cursor: string | null,
): Query {
  return {
    q: searchText(request),
    sort: "latest",
    author: request.author?.actor,
    mentions: request.mentions ?? undefined,
    lang: request.lang ?? undefined,
    domain: request.domain ?? undefined,
    tag: request.tags.length === 0 ? undefined : request.tags,
    since: fromMs === null ? undefined : isoText(fromMs),
    until: isoText(toMs),
    limit: Math.min(Math.max(limit, 1), maxItems),
    cursor: cursor ?? undefined,
  };
}

/** Merging requires a time, which withheld posts have and unreadable ones lack. */
function readAlternativePage(
  { posts, cursor }: Record<string, unknown>,
  nowMs: number,
): AlternativePage<PageItem> & { unreadable: readonly PageItem[] } {
  const unreadable: PageItem[] = [];
  const items = list(posts, maxItems).flatMap((view) => {
    const post = readPostView(view, nowMs);
    const item = toPageItem(post, view, nowMs);
    if (item.kind === "unreadable") {
      unreadable.push(item);
      return [];
    }
    const key = typeof post === "string" ? String(asFields(view).uri) : post.uri;
    return [{ timeMs: postTimeMs(readViewTimes(view, nowMs), nowMs), key, item }];
  });
  return { items, cursor: pageToken(cursor, blueskyName).next, unreadable };
}

/** Bluesky disables its search at times, for all or some users. */
function unavailablePage(refusal: Refusal, session: Session): UpstreamPage {
  const { status, error, message } = refusal;
  const isUnavailable =
    (status === 403 && error !== "ScopeMissingError") ||
    (status === 400 && /disabled|not enabled|forbidden/i.test(message));
  if (!isUnavailable) throw makeBlueskyError(session, method, refusal);
  return { ...emptyPage, warnings: [unavailableWarning] };
}

const unavailableWarning: UpstreamWarning = {
  code: "search_unavailable",
  message: "Bluesky refused the search",
  hint: "retry later; the archive was searched",
};

const notExpressibleWarning: UpstreamWarning = {
  code: "search_not_sayable",
  message: "Bluesky's search cannot express the query, so it was not used",
  hint: "add a word, a hashtag, a language or an author",
};

const narrowedWarning: UpstreamWarning = {
  code: "search_narrowed",
  message:
    "Bluesky's search finds only links to the exact host: posts with links to its subdomains may be missing",
};

const foreignCursorError = (): EarshotError =>
  new EarshotError("cursor_invalid", "the cursor belongs to another search", { status: 400 });

const maxQueryLength = 1_000;

/** `q` is required, so without words it repeats another parameter or is `*`. */
export function searchText(request: BlueskyRequest): string {
  const { words, tags, author, mentions, lang, domain } = request;
  if (words.length > 0) return joinWordsWithinLimit(words);
  const [tag] = tags;
  if (tag !== undefined) return `#${tag}`;
  if (author !== null) return author.handle === null ? author.actor : `from:${author.handle}`;
  if (domain !== null) return `domain:${domain}`;
  if (mentions === null && lang !== null) return `lang:${lang}`;
  return "*";
}

/** Omitting words only widens the search. */
function joinWordsWithinLimit(words: readonly string[]): string {
  let query = "";
  for (const word of words) {
    const extendedQuery = query === "" ? word : `${query} ${word}`;
    if (extendedQuery.length <= maxQueryLength) query = extendedQuery;
  }
  return query;
}
