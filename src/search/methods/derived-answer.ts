import { isoText } from "../../lib/iso-time.ts";
import { type Span, unionSpans } from "../../lib/spans.ts";
import type { FetchMethod } from "../../platforms/methods.ts";
import { toFetchedItem } from "../../platforms/render-record.ts";
import type { FetchedItem, SourceAnswer, SourceWarning } from "../../platforms/source.ts";
import type { UpstreamItem } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { Profile } from "../../posts/profile.ts";
import type { UpstreamJob } from "../../upstream/requests/sessions.ts";
import type { AnswerContext } from "../context.ts";
import { type ArchivedPost, type ArchivedPosts, readArchivedPosts } from "./archived-posts.ts";
import { countTrends } from "./archived-trends.ts";
import type { FetchRequest } from "./fetch-request.ts";

const derivedMethods: readonly FetchMethod[] = [
  "getprofilebyid",
  "searchbyprofile",
  "getretweeters",
  "gettrends",
];

export const isDerived = (method: FetchMethod): boolean => derivedMethods.includes(method);

const trendWindowMs = 86_400_000;
export const maxTrendPosts = 2_000;
export const maxReposts = 1_000;

/** `query` finds posts by the account, or reposts of the post; null for trends. */
export async function derivedAnswer(
  context: AnswerContext,
  request: FetchRequest,
  query: string | null,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  if (query === null) return await trends(context, request, job);
  if (request.method === "getretweeters") return await reposters(context, request, query, job);
  const archivedPosts = await readArchivedPosts(
    context,
    { ...request, query, fromMs: null },
    1,
    job,
  );
  const profiles = archivedPosts.posts.flatMap((post) => makeProfile(request.platform, post) ?? []);
  const allTime = { fromMs: null, toMs: request.asOfMs };
  return makeAnswer(request, allTime, profiles, {
    gaps: [allTime],
    warnings:
      profiles.length === 0
        ? archivedPosts.warnings
        : [...archivedPosts.warnings, derivedAccountsWarning],
  });
}

async function reposters(
  context: AnswerContext,
  request: FetchRequest,
  query: string,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { platform, maxResults, asOfMs } = request;
  const archivedPosts = await readArchivedPosts(
    context,
    { ...request, query, fromMs: null },
    maxReposts,
    job,
  );
  const profiles = new Map<string, UpstreamItem>();
  let { next } = archivedPosts;
  for (const [index, post] of archivedPosts.posts.entries()) {
    const profile = makeProfile(platform, post);
    if (profile === null || profiles.has(profile.profile.userId)) continue;
    if (profiles.size === maxResults) {
      next = { platform, id: archivedPosts.posts[index - 1]?.id ?? post.id };
      break;
    }
    profiles.set(profile.profile.userId, profile);
  }
  const allTime = { fromMs: null, toMs: asOfMs };
  const answer = makeAnswer(request, allTime, [...profiles.values()], {
    gaps: [allTime],
    warnings: [...archivedPosts.warnings, derivedRepostersWarning],
  });
  return { ...answer, next };
}

async function trends(
  context: AnswerContext,
  request: FetchRequest,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { platform, asOfMs, maxResults } = request;
  const fromMs = asOfMs - trendWindowMs;
  const trendsRequest = { ...request, query: taggedPosts, fromMs, toMs: asOfMs };
  const archivedPosts = await readArchivedPosts(context, trendsRequest, maxTrendPosts, job);
  const sinceMs = earliestMs(archivedPosts, fromMs);
  const items = countTrends(platform, archivedPosts.posts, maxResults).map(
    (trend): UpstreamItem => ({ kind: "trend", trend }),
  );
  return makeAnswer(request, { fromMs: sinceMs, toMs: asOfMs }, items, {
    gaps: unionSpans([{ fromMs: null, toMs: sinceMs }, ...archivedPosts.gaps]),
    warnings: [...archivedPosts.warnings, countWarning(archivedPosts.posts.length, sinceMs)],
  });
}

const taggedPosts = "(has:hashtags OR has:links) -is:retweet";

function earliestMs({ posts, next }: ArchivedPosts, fromMs: number): number {
  if (next === null) return fromMs;
  return Math.max(fromMs, posts.at(-1)?.createdMs ?? fromMs);
}

function makeProfile(
  platform: Platform,
  { userId, username, authorName, authorVerified }: ArchivedPost,
): { kind: "profile"; profile: Profile } | null {
  if (userId === null) return null;
  const unknownFields = { description: null, url: null, avatarUrl: null, bannerUrl: null };
  const counts = { followers: null, following: null, posts: null, listed: null };
  return {
    kind: "profile",
    profile: {
      ...unknownFields,
      platform,
      userId,
      username,
      name: authorName,
      location: null,
      createdAt: null,
      verified: authorVerified,
      isProtected: null,
      isBot: null,
      labels: [],
      counts,
    },
  };
}

function makeAnswer(
  { platform, asOfMs }: FetchRequest,
  span: Span,
  items: readonly UpstreamItem[],
  { gaps, warnings }: { gaps: readonly Span[]; warnings: readonly SourceWarning[] },
): SourceAnswer {
  return {
    items: items.map((item): FetchedItem => toFetchedItem(item, archivedItemContext(asOfMs))),
    next: null,
    complete: false,
    coverage: {
      fromMs: null,
      toMs: asOfMs,
      complete: false,
      gaps,
      truncated: false,
      platforms: [],
    },
    sources: [{ platform, via: "archive", ...span, count: items.length }],
    warnings,
  };
}

const archivedItemContext = (nowMs: number) => ({
  displayScope: "everything" as const,
  nowMs,
  recordId: () => 0n,
});

const derivedAccountsWarning: SourceWarning = {
  code: "derived_from_archive",
  message: "accounts are derived from archived posts: description, counts and dates are missing",
};

const derivedRepostersWarning: SourceWarning = {
  code: "derived_from_archive",
  message: "the archive knows only the accounts whose reposts were imported or streamed as posts",
};

const countWarning = (posts: number, sinceMs: number): SourceWarning => ({
  code: "derived_from_archive",
  message: `counted by accounts in ${posts} archived posts with hashtags or links since ${isoText(sinceMs)}`,
});
