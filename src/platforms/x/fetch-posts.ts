import type { Post } from "../../posts/post.ts";
import { asFields } from "../fields.ts";
import type { Session } from "../session.ts";
import type { PostTarget, UserTarget } from "../target.ts";
import type { PageCall, UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { postParameters } from "./fields.ts";
import { firstPresent, readCount, readIdText, targetPostId } from "./json.ts";
import { withOriginals } from "./originals.ts";
import { readPosts, xName, xPostPage } from "./post-page.ts";
import { requestX, type XRequest, type XResponse } from "./request.ts";
import { readUserCursor, resolveUserId } from "./resolve-user-id.ts";

const scopes = ["tweet.read", "users.read"];

export async function fetchPostById(target: PostTarget, session: Session): Promise<UpstreamPage> {
  const id = targetPostId(target);
  if (id === null) return absentPage;
  const response = await requestX(session, {
    path: "/2/tweets",
    query: { ids: id, ...postParameters },
    bucket: "GET /2/tweets",
    bill: { postReads: 1, userReads: 1 },
    billedAs: "posts",
    scopes,
  });
  return await pageWithOriginals({ ...response, next: null }, session);
}

export async function fetchUserPosts(
  target: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  const options = { minPageSize: 5, exclude: undefined, isIncluded: everyPost };
  return await fetchTimeline(target, call, session, options);
}

export async function fetchTimelineMedia(
  target: UserTarget,
  call: PageCall,
  session: Session,
): Promise<UpstreamPage> {
  // Posts with media may be rare, so pages are large.
  const options = { minPageSize: 100, exclude: "retweets", isIncluded: hasMedia };
  return await fetchTimeline(target, call, session, options);
}

const everyPost = (): boolean => true;
const hasMedia = ({ media }: Post): boolean => media.length > 0;

type TimelineOptions = {
  minPageSize: number;
  exclude: string | undefined;
  isIncluded: (post: Post) => boolean;
};

async function fetchTimeline(
  target: UserTarget,
  { cursor, limit }: PageCall,
  session: Session,
  { minPageSize, exclude, isIncluded }: TimelineOptions,
): Promise<UpstreamPage> {
  const position = readUserCursor(cursor);
  const id = position?.id ?? (await resolveUserId(target, session));
  if (id === null) return absentPage;
  const size = Math.min(Math.max(limit, minPageSize), 100);
  const request = {
    path: `/2/users/${id}/tweets`,
    query: { exclude, pagination_token: position?.token },
    bucket: "GET /2/users/:id/tweets",
  };
  const response = await requestPosts(session, size, request);
  const page = await pageWithOriginals(response, session, isIncluded);
  const next = page.next === null ? null : `${id}.${page.next}`;
  if (!exceedsTimeline(response)) return { ...page, next };
  return { ...page, next, warnings: [...(page.warnings ?? []), timelineTruncated] };
}

export async function fetchHomePosts(call: PageCall, session: Session): Promise<UpstreamPage> {
  const id = readIdText(session.subjectId);
  if (id === null) return absentPage;
  const request = {
    path: `/2/users/${id}/timelines/reverse_chronological`,
    query: { pagination_token: call.cursor ?? undefined },
    bucket: "GET /2/users/:id/timelines/reverse_chronological",
  };
  const size = Math.min(Math.max(call.limit, 1), 100);
  const response = await requestPosts(session, size, request);
  const page = await pageWithOriginals(response, session);
  return { ...page, sinceMs: session.nowMs - homeReachMs };
}

/** X's limit is 7 days. */
const homeReachMs = 7 * 86_400_000;

function requestPosts(
  session: Session,
  size: number,
  { path, query, bucket }: Pick<XRequest, "path" | "query" | "bucket">,
): Promise<XResponse> {
  return requestX(session, {
    path,
    query: { max_results: size, ...postParameters, "user.fields": authorFields, ...query },
    bucket,
    bill: { postReads: size, userReads: size },
    billedAs: "posts",
    scopes,
  });
}

async function pageWithOriginals(
  response: XResponse,
  session: Session,
  isIncluded: (post: Post) => boolean = everyPost,
): Promise<UpstreamPage> {
  if (response.isAbsent) return absentPage;
  const { posts, omitted } = readPosts(response);
  const lookupResult = await withOriginals(posts, session);
  const excludedPosts = lookupResult.posts.filter((post) => !isIncluded(post));
  const excludedItems = excludedPosts.map(
    (post) => ({ kind: "omitted", timestamps: post }) as const,
  );
  return xPostPage(lookupResult.posts.filter(isIncluded), [...omitted, ...excludedItems], {
    next: response.next,
    nowMs: session.nowMs,
    warnings: [...response.warnings, ...lookupResult.warnings],
  });
}

/** X shows only an account's latest posts. */
const maxTimelinePosts = 3_200;

const authorFields = `${postParameters["user.fields"]},public_metrics`;

function exceedsTimeline({ next, includes, isAbsent }: XResponse): boolean {
  if (next !== null || isAbsent) return false;
  const [author, ...others] = includes.users.values();
  const metrics = asFields(author?.public_metrics);
  const posts = readCount(firstPresent(metrics, "tweet_count", "post_count")) ?? 0;
  return others.length === 0 && posts > maxTimelinePosts;
}

const timelineTruncated: UpstreamWarning = {
  code: "timeline_cut",
  message: `${xName} shows only the latest ${maxTimelinePosts} posts of an account, and this one has more`,
  isPartial: true,
};
