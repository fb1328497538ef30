import { hasTime, idTimeMs } from "../../posts/ids.ts";
import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage } from "../upstream.ts";
import { absentPage, emptyPage } from "../upstream-page.ts";
import { isUsername, postNumber, readIdText } from "./json.ts";
import { requestSearch, searchOf } from "./search-request.ts";
import { type SearchWindow, searchWindow } from "./search-window.ts";

/** The whole conversation, if the post started it. */
export async function searchReplies(
  target: PostTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const id = postNumber(target);
  if (id === null) return absentPage;
  const number = BigInt(id);
  const fromMs = hasTime(number) ? idTimeMs(number) : null;
  const query = `(conversation_id:${id} OR in_reply_to_tweet_id:${id}) is:reply`;
  return await searched(query, fromMs, call, session);
}

export async function mediaBySearch(
  { id, handle }: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const name = readIdText(id) ?? (handle !== null && isUsername(handle) ? handle : null);
  if (name === null) return absentPage;
  return await searched(`from:${name} has:media -is:retweet`, null, call, session);
}

export const isSearchCursor = (cursor: string): boolean => readPosition(cursor) !== null;

async function searched(
  query: string,
  fromMs: number | null,
  { cursor, limit, route, toMs = null }: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const position = cursor === null ? null : readPosition(cursor);
  const { nowMs } = session;
  const requested = { fromMs, toMs: toMs ?? nowMs };
  const window = position ?? searchWindow(requested, nowMs, searchOf(route));
  if (window === null) return { ...emptyPage, sinceMs: requested.toMs };
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
