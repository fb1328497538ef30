import { idTimeMs, tellsTime } from "../../posts/ids.ts";
import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage } from "../upstream.ts";
import { absentPage, emptyPage } from "../upstream-page.ts";
import { isHandle, numberText, postNumber } from "./json.ts";
import { requestSearch } from "./search-request.ts";
import { type SearchWindow, searchWindow } from "./search-window.ts";

/** A page of the replies to a post, newest first: of its whole conversation where it began one. */
export async function repliesTo(
  target: PostTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const id = postNumber(target);
  if (id === null) return absentPage;
  const number = BigInt(id);
  const fromMs = tellsTime(number) ? idTimeMs(number) : null;
  const query = `(conversation_id:${id} OR in_reply_to_tweet_id:${id}) is:reply`;
  const page = await searched(query, fromMs, call, session);
  const isCut = session.access !== "app" && page.next === null && isOlder(fromMs, page.window);
  return isCut ? { ...page, remarks: [...(page.remarks ?? []), lastDaysOnly] } : page;
}

const isOlder = (fromMs: number | null, window: SearchWindow | null): boolean =>
  window !== null && (fromMs === null || fromMs < (window.fromMs ?? 0) - 1_000);

const lastDaysOnly = {
  code: "recent_replies_only",
  message: "X searches no further back than seven days for a user, and the post is older",
  hint: "with an application's token all replies are found",
};

/** A page of an account's own posts with media, newest first, of all that X has. Needs an application's token. */
export async function mediaBySearch(
  { id, handle }: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const name = numberText(id) ?? (handle !== null && isHandle(handle) ? handle : null);
  if (name === null) return absentPage;
  return await searched(`from:${name} has:media -is:retweet`, null, call, session);
}

type Searched = UpstreamPage & { window: SearchWindow | null };

async function searched(
  query: string,
  fromMs: number | null,
  { cursor, limit }: PageCall,
  session: Session,
): Promise<Searched> {
  const place = cursor === null ? null : readPlace(cursor);
  const nowMs = session.nowMs;
  const window = place ?? searchWindow({ fromMs, toMs: nowMs }, nowMs, session.access === "app");
  if (window === null) return { ...emptyPage, window };
  const token = place?.token ?? null;
  const page = await requestSearch({ ...window, query, token, limit }, session);
  const { search } = window;
  const next =
    page.next === null ? null : [search, window.fromMs ?? "", window.toMs, page.next].join(".");
  return { ...page, next, window };
}

/** Where a search goes on: in the same window, by X's own token. */
function readPlace(cursor: string): (SearchWindow & { token: string }) | null {
  const [, search, from, to, token] = /^(recent|all)\.(\d*)\.(\d+)\.(.+)$/s.exec(cursor) ?? [];
  if ((search !== "recent" && search !== "all") || token === undefined) return null;
  return { search, fromMs: from ? Number(from) : null, toMs: Number(to), token };
}
