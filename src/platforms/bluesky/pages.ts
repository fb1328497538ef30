import { requiredList } from "../fields.ts";
import type { FetchMethod } from "../methods.ts";
import type { Session } from "../session.ts";
import type { PageCall, UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage, itemsPage, type SentItem } from "../upstream-page.ts";
import { postOfFeedView, postOfView } from "./post-view.ts";
import { profileOfView } from "./profile-view.ts";
import { blueskyReplyPage } from "./replies.ts";
import { type AppView, type Query, requestAppView } from "./request.ts";
import { actorOf, postUriOf } from "./resolve-target.ts";
import { trendOfView } from "./trend-view.ts";
import { blueskyName, blueskyPostPage, pageOfProfiles } from "./view-page.ts";

type Requested = { call: PageCall; session: Session; appView: AppView; feed: string };

type PageOf = (requested: Requested) => Promise<UpstreamPage>;

export const blueskyPages: Readonly<Record<FetchMethod, PageOf>> = {
  searchbyprofile: profile,
  getprofilebyid: profile,
  getbyid: post,
  getreplies: replies,
  getretweeters: retweeters,
  gettweets: (requested) => authorFeed(requested, "posts_with_replies"),
  getmedia: (requested) => authorFeed(requested, "posts_with_media"),
  gethometweets: (requested) => feedPage(requested, "app.bsky.feed.getTimeline", {}),
  getforyoutweets: (requested) =>
    feedPage(requested, "app.bsky.feed.getFeed", { feed: requested.feed }),
  gettrends: trends,
  getfollowing: (requested) => accounts(requested, "app.bsky.graph.getFollows", "follows"),
  getfollowers: (requested) => accounts(requested, "app.bsky.graph.getFollowers", "followers"),
  getspace: async () => absentPage,
};

const request = async (
  { session, appView }: Requested,
  method: string,
  query: Query,
): Promise<Record<string, unknown> | null> => await requestAppView(session, appView, method, query);

const maxItems = 100;
const maxTrends = 25;
/** The nesting of JSON answers is bounded. */
const replyDepth = 20;

const paging = ({ call }: Requested) => ({
  limit: Math.min(Math.max(call.limit, 1), maxItems),
  cursor: call.cursor ?? undefined,
});

async function profile(requested: Requested): Promise<UpstreamPage> {
  const { call, session } = requested;
  const actor = actorOf(call.target);
  if (actor === null) return absentPage;
  const view = await request(requested, "app.bsky.actor.getProfile", { actor });
  if (view === null) return absentPage;
  return profilesIn([view], null, session);
}

async function post(requested: Requested): Promise<UpstreamPage> {
  const { call, session, appView } = requested;
  const uri = await postUriOf(call.target, session, appView);
  if (uri === null) return absentPage;
  const answer = await request(requested, "app.bsky.feed.getPosts", { uris: [uri] });
  if (answer === null) return absentPage;
  const { nowMs } = session;
  return blueskyPostPage(answer.posts, (item) => postOfView(item, nowMs), { cursor: null, nowMs });
}

async function replies(requested: Requested): Promise<UpstreamPage> {
  const { call, session, appView } = requested;
  const uri = await postUriOf(call.target, session, appView);
  if (uri === null) return absentPage;
  const threadOf = async (first: string): Promise<unknown> => {
    const query = { uri: first, depth: replyDepth, parentHeight: 0 };
    const answer = await request(requested, "app.bsky.feed.getPostThread", query);
    return answer === null ? null : answer.thread;
  };
  return (await blueskyReplyPage(uri, threadOf, session.nowMs)) ?? absentPage;
}

async function retweeters(requested: Requested): Promise<UpstreamPage> {
  const { call, session, appView } = requested;
  const uri = await postUriOf(call.target, session, appView);
  if (uri === null) return absentPage;
  const query = { uri, ...paging(requested) };
  const answer = await request(requested, "app.bsky.feed.getRepostedBy", query);
  return profilesOf(answer, "repostedBy", session);
}

async function authorFeed(requested: Requested, filter: string): Promise<UpstreamPage> {
  const actor = actorOf(requested.call.target);
  if (actor === null) return absentPage;
  return await feedPage(requested, "app.bsky.feed.getAuthorFeed", { actor, filter });
}

async function feedPage(
  requested: Requested,
  method: string,
  query: Readonly<Record<string, string>>,
): Promise<UpstreamPage> {
  const answer = await request(requested, method, { ...query, ...paging(requested) });
  if (answer === null) return absentPage;
  const { nowMs } = requested.session;
  const { feed, cursor } = answer;
  return blueskyPostPage(feed, (item) => postOfFeedView(item, nowMs), { cursor, nowMs });
}

async function accounts(
  requested: Requested,
  method: string,
  field: string,
): Promise<UpstreamPage> {
  const actor = actorOf(requested.call.target);
  if (actor === null) return absentPage;
  const answer = await request(requested, method, { actor, ...paging(requested) });
  return profilesOf(answer, field, requested.session);
}

function profilesOf(
  answer: Record<string, unknown> | null,
  field: string,
  session: Session,
): UpstreamPage {
  // The follow lists of a withheld account are withheld.
  const isWithheld = profileOfView(answer?.subject, session.nowMs) === "withheld";
  if (answer === null || isWithheld) return absentPage;
  return profilesIn(answer[field], answer.cursor, session);
}

const profilesIn = (views: unknown, cursor: unknown, { nowMs }: Session): UpstreamPage =>
  pageOfProfiles(views, (item) => profileOfView(item, nowMs), { cursor, nowMs });

async function trends(requested: Requested): Promise<UpstreamPage> {
  const limit = Math.min(Math.max(requested.call.limit, 1), maxTrends);
  const answer = await request(requested, "app.bsky.unspecced.getTrends", { limit });
  if (answer === null) return absentPage;
  const items = requiredList(answer.trends, maxItems, blueskyName).map((view, index): SentItem => {
    const trend = trendOfView(view, index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const warnings = items.length >= maxTrends && requested.call.limit > maxTrends ? [trendsCut] : [];
  return itemsPage(items, {
    name: blueskyName,
    next: null,
    nowMs: requested.session.nowMs,
    warnings,
  });
}

const trendsCut: UpstreamWarning = {
  code: "trends_cut",
  message: `${blueskyName} returns at most ${maxTrends} trends`,
  isPartial: true,
};
