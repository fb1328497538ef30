import { isoText } from "../lib/iso-time.ts";
import { xUri } from "../posts/ids.ts";
import type { Platform, Post } from "../posts/post.ts";
import type { Profile, Space, Trend } from "../posts/profile.ts";
import { parseIsoTime } from "./time.ts";

export type RenderedProfile = {
  ID: string;
  Content: string;
  Metadata: Readonly<Record<string, unknown>>;
  Score: 1;
};

/** ID is the account's id, Content its description. */
export function profileRecord(profile: Profile): RenderedProfile {
  const { platform, userId, username, counts } = profile;
  return {
    ID: userId,
    Content: profile.description ?? "",
    Metadata: {
      kind: "profile",
      platform,
      url: profile.url ?? profileUrl(platform, userId, username),
      created_at: readTime(profile.createdAt),
      username,
      author: profile.name,
      author_verified: profile.verified,
      user_id: userId,
      avatar_url: profile.avatarUrl,
      banner_url: profile.bannerUrl,
      location: profile.location,
      is_protected: profile.isProtected,
      is_bot: profile.isBot,
      labels: profile.labels,
      public_metrics: {
        followers_count: counts.followers,
        following_count: counts.following,
        tweet_count: counts.posts,
        listed_count: counts.listed,
      },
    },
    Score: 1,
  };
}

/** ID is the trend's rank, Content its name. */
export function trendRecord(trend: Trend): RenderedProfile {
  return {
    ID: String(trend.rank),
    Content: trend.name,
    Metadata: {
      kind: "trend",
      platform: trend.platform,
      url: trend.url,
      created_at: readTime(trend.startedAt),
      rank: trend.rank,
      category: trend.category,
      public_metrics: { tweet_count: trend.posts },
    },
    Score: 1,
  };
}

/** ID is the Space's id, Content its title. */
export function spaceRecord(space: Space): RenderedProfile {
  return {
    ID: space.id,
    Content: space.title ?? "",
    Metadata: {
      kind: "space",
      platform: space.platform,
      url: space.url ?? spaceUrl(space),
      created_at: readTime(space.createdAt),
      state: space.state,
      lang: space.lang,
      host_ids: space.hostIds,
      speaker_ids: space.speakerIds,
      scheduled_at: readTime(space.scheduledAt),
      started_at: readTime(space.startedAt),
      ended_at: readTime(space.endedAt),
      public_metrics: { participant_count: space.participants },
    },
    Score: 1,
  };
}

export function idOnlyProfileRecord({ platform, userId }: Profile): RenderedProfile {
  return profileRecord({
    platform,
    userId,
    username: "",
    name: null,
    description: null,
    url: profileUrl(platform, userId, null),
    avatarUrl: null,
    bannerUrl: null,
    location: null,
    createdAt: null,
    verified: null,
    isProtected: null,
    isBot: null,
    labels: [],
    counts: { followers: null, following: null, posts: null, listed: null },
  });
}

export function rankOnlyTrendRecord({ platform, rank }: Trend): RenderedProfile {
  return trendRecord({
    platform,
    rank,
    name: "",
    url: null,
    posts: null,
    category: null,
    startedAt: null,
  });
}

export function idOnlySpaceRecord({ platform, id }: Space): RenderedProfile {
  return spaceRecord({
    platform,
    id,
    title: null,
    state: null,
    url: null,
    hostIds: [],
    speakerIds: [],
    participants: null,
    lang: null,
    createdAt: null,
    scheduledAt: null,
    startedAt: null,
    endedAt: null,
  });
}

export function idOnlyPostRecord({ platform, uri, userId }: Post, id: bigint): RenderedProfile {
  return {
    ID: String(id),
    Content: "",
    Metadata: {
      kind: "ids",
      platform,
      url: platform === "x" ? xUri(id) : null,
      uri,
      created_at: null,
      username: "",
      author: null,
      author_verified: null,
      user_id: userId,
      lang: null,
      langs: [],
      lang_detected: null,
      conversation_id: null,
      in_reply_to: null,
      quoted: null,
      reposted: null,
      is_reply: null,
      is_quote: null,
      is_retweet: null,
      hashtags: [],
      mentions: [],
      urls: [],
      media: [],
      geo: null,
      labels: [],
      possibly_sensitive: null,
      source: null,
      public_metrics: {
        like_count: null,
        retweet_count: null,
        reply_count: null,
        quote_count: null,
      },
      origin: "upstream",
    },
    Score: 1,
  };
}

/** X also resolves profile URLs with an id. */
function profileUrl(platform: Platform, userId: string, username: string | null): string | null {
  if (platform === "bluesky") return `https://bsky.app/profile/${userId}`;
  if (platform !== "x") return null;
  return username ? `https://x.com/${username}` : `https://x.com/i/user/${userId}`;
}

const spaceUrl = ({ platform, id }: Space): string | null =>
  platform === "x" ? `https://x.com/i/spaces/${id}` : null;

function readTime(text: string | null): string | null {
  const ms = text === null ? null : parseIsoTime(text);
  return ms === null ? null : isoText(ms);
}
