import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage } from "../upstream.ts";
import { accountNumber } from "./account-number.ts";
import { type Asked, ask } from "./ask.ts";
import { postParameters } from "./fields.ts";
import { numberText, postNumber } from "./json.ts";
import { withOriginals } from "./originals.ts";
import { nothingFound, pageOfPosts, readPosts, unreadableItems } from "./post-page.ts";

const scopes = ["tweet.read", "users.read"];

/** The post of a number. */
export async function postById(target: PostTarget, session: Session): Promise<UpstreamPage> {
  const id = postNumber(target);
  if (id === null) return nothingFound;
  const told = await ask(session, {
    path: "/2/tweets",
    query: { ids: id, ...postParameters },
    bucket: "GET /2/tweets",
    bill: { postReads: 1, userReads: 1 },
    counted: "posts",
    scopes,
  });
  const { posts, unreadable } = readPosts(told);
  return pageOfPosts(await withOriginals(posts, session), null, unreadableItems(unreadable));
}

/** A page of what an account has posted, answered and reposted, newest first. */
export async function postsOfUser(
  target: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  return await timeline(target, call, session, { least: 5, exclude: undefined });
}

/** A page of an account's own posts, those with media among them. */
export async function mediaInTimeline(
  target: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  // Few of a page may have media, so a full one is read.
  const page = await timeline(target, call, session, { least: 100, exclude: "retweets" });
  const items = page.items.filter((item) => item.kind === "post" && item.post.media.length > 0);
  return { ...page, items };
}

async function timeline(
  target: UserTarget,
  { cursor, limit }: PageCall,
  session: Session,
  { least, exclude }: { least: number; exclude: string | undefined },
): Promise<UpstreamPage> {
  const place = cursor === null ? null : readPlace(cursor);
  const id = place?.id ?? (await accountNumber(target, session));
  if (id === null) return nothingFound;
  const size = Math.min(Math.max(limit, least), 100);
  const page = await postsOf(session, size, {
    path: `/2/users/${id}/tweets`,
    query: { exclude, pagination_token: place?.token },
    bucket: "GET /2/users/:id/tweets",
  });
  return { ...page, next: page.next === null ? null : `${id}.${page.next}` };
}

/** Where a timeline goes on: the number of the account, so that its handle is not asked for again, and X's own token. */
function readPlace(cursor: string): { id: string; token: string } | null {
  const [, id, token] = /^(\d{1,19})\.([\w-]+)$/.exec(cursor) ?? [];
  return id === undefined || token === undefined ? null : { id, token };
}

/** A page of what the credential's own account sees at home, newest first. */
export async function homePosts(call: PageCall, session: Session): Promise<UpstreamPage> {
  const id = numberText(session.subjectId);
  if (id === null) return nothingFound;
  return await postsOf(session, Math.min(Math.max(call.limit, 1), 100), {
    path: `/2/users/${id}/timelines/reverse_chronological`,
    query: { pagination_token: call.cursor ?? undefined },
    bucket: "GET /2/users/:id/timelines/reverse_chronological",
  });
}

async function postsOf(
  session: Session,
  size: number,
  { path, query, bucket }: Pick<Asked, "path" | "query" | "bucket">,
): Promise<UpstreamPage> {
  const told = await ask(session, {
    path,
    query: { max_results: size, ...query, ...postParameters },
    bucket,
    bill: { postReads: size, userReads: size },
    counted: "posts",
    scopes,
  });
  const { posts, unreadable } = readPosts(told);
  const whole = await withOriginals(posts, session);
  return pageOfPosts(whole, told.next, unreadableItems(unreadable));
}
