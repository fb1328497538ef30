import { hasTime, idTimeMs } from "../../posts/ids.ts";
import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage } from "../upstream.ts";
import { absentPage, emptyPage } from "../upstream-page.ts";
import { isUsername, readIdText, targetPostId } from "./json.ts";
import { requestSearch, searchName } from "./search-request.ts";
import { type SearchWindow, searchWindow } from "./search-window.ts";

/** Searches the whole conversation if the post started it, otherwise the direct replies. */
export async function searchReplies(
  target: PostTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const id = targetPostId(target);
  if (id === null) return absentPage;
  const postId = BigInt(id);
  const fromMs = hasTime(postId) ? idTimeMs(postId) : null;
  const query = `(conversation_id:${id} OR in_reply_to_tweet_id:${id}) is:reply`;
  return await searchPage(query, fromMs, call, session);
}

export async function searchMedia(
  { id, handle }: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const name = readIdText(id) ?? (handle !== null && isUsername(handle) ? handle : null);
  if (name === null) return absentPage;
  return await searchPage(`from:${name} has:media -is:retweet`, null, call, session);
}

export const isSearchCursor = (cursor: string): boolean => readPosition(cursor) !== null;

async function searchPage(
  query: string,
  fromMs: number | null,
  { cursor, limit, route, toMs = null }: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const position = cursor === null ? null : readPosition(cursor);
  const { nowMs } = session;
  const requestedWindow = { fromMs, toMs: toMs ?? nowMs };
  const window = position ?? searchWindow(requestedWindow, nowMs, searchName(route));
  if (window === null) return { ...emptyPage, sinceMs: requestedWindow.toMs };
  const token = position?.token ?? null;
  const page = await requestSearch({ ...window, query, token, limit }, session);
  const { search } = window;
  const next =
    page.next === null ? null : [search, window.fromMs ?? "", window.toMs, page.next].join(".");
  return { ...page, next };
}

function readPosition(cursor: string): (SearchWindow & { token: string }) | null {
  const [, search, from, to, token] = /^(recent|all)\.(\d*)\.(\d+)\.(.+)$/s.exec(cursor) ?? [];
  if ((search !== "recent" && search !== "all") || token === undefined) return null;
  return { search, fromMs: from ? Number(from) : null, toMs: Number(to), token };
}
