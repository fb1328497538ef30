import { requireList } from "../fields.ts";
import type { FetchMethod } from "../methods.ts";
import type { Session } from "../session.ts";
import type { PageCall, UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage, itemsPage, type PageItem } from "../upstream-page.ts";
import { readFeedView, readPostView } from "./post-view.ts";
import { readProfileView } from "./profile-view.ts";
import { blueskyReplyPage } from "./replies.ts";
import { type AppView, type Query, requestAppView } from "./request.ts";
import { resolvePostUri, targetActor } from "./resolve-target.ts";
import { readTrendView } from "./trend-view.ts";
import { blueskyName, blueskyPostPage, profilesPage } from "./view-page.ts";

type PageContext = { call: PageCall; session: Session; appView: AppView; feed: string };

type ReadPage = (context: PageContext) => Promise<UpstreamPage>;

export const blueskyPages: Readonly<Record<FetchMethod, ReadPage>> = {
  searchbyprofile: profilePage,
  getprofilebyid: profilePage,
  getbyid: postPage,
  getreplies: repliesPage,
  getretweeters: retweetersPage,
  gettweets: (context) => authorFeedPage(context, "posts_with_replies"),
  getmedia: (context) => authorFeedPage(context, "posts_with_media"),
  gethometweets: (context) => feedPage(context, "app.bsky.feed.getTimeline", {}),
  getforyoutweets: (context) => feedPage(context, "app.bsky.feed.getFeed", { feed: context.feed }),
  gettrends: trendsPage,
  getfollowing: (context) => accountsPage(context, "app.bsky.graph.getFollows", "follows"),
  getfollowers: (context) => accountsPage(context, "app.bsky.graph.getFollowers", "followers"),
  getspace: async () => absentPage,
};

const request = async (
  { session, appView }: PageContext,
  method: string,
  query: Query,
): Promise<Record<string, unknown> | null> => await requestAppView(session, appView, method, query);

const maxItems = 100;
const maxTrends = 25;
/** Limited because the nesting of JSON responses is bounded. */
const replyDepth = 20;

const paging = ({ call }: PageContext) => ({
  limit: Math.min(Math.max(call.limit, 1), maxItems),
  cursor: call.cursor ?? undefined,
});

async function profilePage(context: PageContext): Promise<UpstreamPage> {
  const { call, session } = context;
  const actor = targetActor(call.target);
  if (actor === null) return absentPage;
  const view = await request(context, "app.bsky.actor.getProfile", { actor });
  if (view === null) return absentPage;
  return profilesIn([view], null, session);
}

async function postPage(context: PageContext): Promise<UpstreamPage> {
  const { call, session, appView } = context;
  const uri = await resolvePostUri(call.target, session, appView);
  if (uri === null) return absentPage;
  const response = await request(context, "app.bsky.feed.getPosts", { uris: [uri] });
  if (response === null) return absentPage;
  const { nowMs } = session;
  return blueskyPostPage(response.posts, (item) => readPostView(item, nowMs), {
    cursor: null,
    nowMs,
  });
}

async function repliesPage(context: PageContext): Promise<UpstreamPage> {
  const { call, session, appView } = context;
  const uri = await resolvePostUri(call.target, session, appView);
  if (uri === null) return absentPage;
  const fetchThread = async (first: string): Promise<unknown> => {
    const query = { uri: first, depth: replyDepth, parentHeight: 0 };
    const response = await request(context, "app.bsky.feed.getPostThread", query);
    return response === null ? null : response.thread;
  };
  return (await blueskyReplyPage(uri, fetchThread, session.nowMs)) ?? absentPage;
}

async function retweetersPage(context: PageContext): Promise<UpstreamPage> {
  const { call, session, appView } = context;
  const uri = await resolvePostUri(call.target, session, appView);
  if (uri === null) return absentPage;
  const query = { uri, ...paging(context) };
  const response = await request(context, "app.bsky.feed.getRepostedBy", query);
  return responseProfiles(response, "repostedBy", session);
}

async function authorFeedPage(context: PageContext, filter: string): Promise<UpstreamPage> {
  const actor = targetActor(context.call.target);
  if (actor === null) return absentPage;
  return await feedPage(context, "app.bsky.feed.getAuthorFeed", { actor, filter });
}

async function feedPage(
  context: PageContext,
  method: string,
  query: Readonly<Record<string, string>>,
): Promise<UpstreamPage> {
  const response = await request(context, method, { ...query, ...paging(context) });
  if (response === null) return absentPage;
  const { nowMs } = context.session;
  const { feed, cursor } = response;
  return blueskyPostPage(feed, (item) => readFeedView(item, nowMs), { cursor, nowMs });
}

async function accountsPage(
  context: PageContext,
  method: string,
  field: string,
): Promise<UpstreamPage> {
  const actor = targetActor(context.call.target);
  if (actor === null) return absentPage;
  const response = await request(context, method, { actor, ...paging(context) });
  return responseProfiles(response, field, context.session);
}

function responseProfiles(
  response: Record<string, unknown> | null,
  field: string,
  session: Session,
): UpstreamPage {
  // The follow lists of a withheld account are withheld too.
  const isWithheld = readProfileView(response?.subject, session.nowMs) === "withheld";
  if (response === null || isWithheld) return absentPage;
  return profilesIn(response[field], response.cursor, session);
}

const profilesIn = (views: unknown, cursor: unknown, { nowMs }: Session): UpstreamPage =>
  profilesPage(views, (item) => readProfileView(item, nowMs), { cursor, nowMs });

async function trendsPage(context: PageContext): Promise<UpstreamPage> {
  const limit = Math.min(Math.max(context.call.limit, 1), maxTrends);
  const response = await request(context, "app.bsky.unspecced.getTrends", { limit });
  if (response === null) return absentPage;
  const items = requireList(response.trends, maxItems, blueskyName).map((view, index): PageItem => {
    const trend = readTrendView(view, index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const warnings =
    items.length >= maxTrends && context.call.limit > maxTrends ? [trendsTruncated] : [];
  return itemsPage(items, {
    name: blueskyName,
    next: null,
    nowMs: context.session.nowMs,
    warnings,
  });
}

const trendsTruncated: UpstreamWarning = {
  code: "trends_cut",
  message: `${blueskyName} returns at most ${maxTrends} trends`,
  isPartial: true,
};
