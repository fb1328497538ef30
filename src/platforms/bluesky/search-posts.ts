import { EarshotError } from "../../lib/errors.ts";
import { isoText } from "../../lib/iso-time.ts";
import { fieldsOf, list, string } from "../fields.ts";
import type { Session } from "../session.ts";
import { parseIsoTime } from "../time.ts";
import type {
  SearchCall,
  UpstreamItem,
  UpstreamPage,
  UpstreamRemark,
  UpstreamSearch,
} from "../upstream.ts";
import { type AppView, faultOf, type Query, tryAppView } from "./ask.ts";
import { postOfView, readIndexedMs } from "./post-view.ts";
import type { Ask } from "./search-alternatives.ts";
import { asksFor, narrowAsksFor } from "./search-asks.ts";
import { firstPlaces, mergeNewest, type Part, readPlaces, writePlaces } from "./search-merge.ts";
import { queryOf } from "./search-query.ts";
import { emptyPage, unreadableItems } from "./view-page.ts";
import type { Refusal } from "./xrpc.ts";

const method = "app.bsky.feed.searchPosts";
const mostItems = 100;
const longestCursor = 4_096;

/** Searching with `searchPosts`. The index is the platform's own: what it lacks nobody learns. */
export const blueskySearch = (appView: AppView): UpstreamSearch => ({
  reachMs: () => null,
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
  const asks = asksFor(tree, names);
  const narrow = asks === null ? narrowAsksFor(tree, names) : null;
  const said = asks ?? narrow;
  if (said === null) return { ...emptyPage, remarks: [notSayable] };
  if (said.length === 0) return null;
  const places =
    call.cursor === null ? firstPlaces(said.length) : readPlaces(call.cursor, said.length);
  if (places === null) throw foreignCursor();

  const parts: (Part<UpstreamItem> | null)[] = [];
  let unreadable = 0;
  for (const [index, ask] of said.entries()) {
    const place = places.places[index];
    if (place === undefined || place.isAtEnd) {
      parts.push(null);
      continue;
    }
    const outcome = await tryAppView(session, appView, method, parameters(ask, call, place.cursor));
    if ("refusal" in outcome) return switchedOff(outcome.refusal, session);
    const part = readPart(outcome.fields, session.nowMs);
    parts.push(part);
    unreadable += part.unreadable;
  }
  const { items, after } = mergeNewest(places, parts);
  const remarks = [
    ...(narrow === null ? [] : [narrowed]),
    ...(unreadable === 0 ? [] : [unreadableItems(unreadable)]),
  ];
  return {
    items,
    next: after === null ? null : writePlaces(after),
    ...(remarks.length === 0 ? {} : { remarks }),
  };
}

function parameters(ask: Ask, { fromMs, toMs, limit }: SearchCall, cursor: string | null): Query {
  return {
    q: queryOf(ask),
    sort: "latest",
    author: ask.author?.actor,
    mentions: ask.mentions ?? undefined,
    lang: ask.lang ?? undefined,
    domain: ask.domain ?? undefined,
    tag: ask.tags.length === 0 ? undefined : ask.tags,
    since: fromMs === null ? undefined : isoText(fromMs),
    until: isoText(toMs),
    limit: Math.min(Math.max(limit, 1), mostItems),
    cursor: cursor ?? undefined,
  };
}

function readPart(
  { posts, cursor }: Record<string, unknown>,
  nowMs: number,
): Part<UpstreamItem> & { unreadable: number } {
  let unreadable = 0;
  const items = list(posts, mostItems).flatMap((view) => {
    const post = postOfView(view, nowMs);
    if (post === "unreadable") unreadable += 1;
    if (typeof post === "string") return [];
    const item: UpstreamItem = { kind: "post", post };
    return [{ timeMs: sortMs(view, nowMs), key: post.uri, item }];
  });
  const next = string(cursor, longestCursor) || null;
  return { items, cursor: next, unreadable };
}

/** The time that the index sorts by: when the post says it was made, or when it was indexed, whichever is earlier. */
function sortMs(view: unknown, nowMs: number): number {
  const { record, indexedAt } = fieldsOf(view);
  const { createdAt } = fieldsOf(record);
  const createdMs = typeof createdAt === "string" ? parseIsoTime(createdAt.slice(0, 64)) : null;
  return Math.min(createdMs ?? nowMs, readIndexedMs(indexedAt, nowMs) ?? nowMs);
}

/** Bluesky switches searching off at times, for all or for some. */
function switchedOff(refusal: Refusal, session: Session): UpstreamPage {
  const { status, error, message } = refusal;
  const isOff =
    (status === 403 && error !== "ScopeMissingError") ||
    (status === 400 && /disabled|not enabled|forbidden/i.test(message));
  if (!isOff) throw faultOf(session, method, refusal);
  return { ...emptyPage, remarks: [notAvailable] };
}

const notAvailable: UpstreamRemark = {
  code: "search_unavailable",
  message: "Bluesky does not let this be searched for at the moment",
  hint: "what the archive holds is searched all the same",
};

const notSayable: UpstreamRemark = {
  code: "search_not_sayable",
  message:
    "Bluesky's search cannot be asked for anything that would find these posts; it was not asked",
  hint: "add a word, a hashtag, a language or an author",
};

const narrowed: UpstreamRemark = {
  code: "search_narrowed",
  message:
    "Bluesky's search finds links to exactly this host; posts with links to its subdomains may be missing",
};

const foreignCursor = (): EarshotError =>
  new EarshotError("cursor_invalid", "the cursor is not of this search", { status: 400 });
