import type { Account, Post } from "./network-content.ts";
import { type Entry, isRepost, type Truth } from "./truth.ts";

export type ApiRecord = {
  ID: string;
  Content: string;
  Metadata: Readonly<Record<string, unknown>>;
  Score: number;
};

export type ExpectedRecord = Omit<ApiRecord, "ID">;

export function expectedEntry(entry: Entry, truth: Truth): ExpectedRecord {
  return isRepost(entry) ? expectedRepost(entry, truth) : expectedPost(entry, truth);
}

const sensitiveLabels: readonly string[] = [
  "porn",
  "sexual",
  "nudity",
  "graphic-media",
  "gore",
  "nsfl",
];

function expectedPost(post: Post, { counts }: Truth): ExpectedRecord {
  const { author, parent, root, quoted, langs } = post;
  const labels = [...new Set([...post.labels, ...author.labels])].toSorted();
  const reference = (to: Post | null): object | null =>
    to === null ? null : { id: null, uri: to.uri, username: null, user_id: to.author.did };
  return {
    Content: post.text,
    Metadata: {
      platform: "bluesky",
      url: `https://bsky.app/profile/${author.did}/post/${uriRecordKey(post.uri)}`,
      uri: post.uri,
      created_at: isoText(post.createdMs),
      username: author.handle,
      author: author.name,
      author_verified: null,
      user_id: author.did,
      lang: langs[0] ?? null,
      langs,
      lang_detected: false,
      conversation_id: root?.uri ?? null,
      in_reply_to: reference(parent),
      quoted: reference(quoted),
      reposted: null,
      is_reply: parent !== null,
      is_quote: quoted !== null,
      is_retweet: false,
      hashtags: post.hashtags,
      mentions: post.mentions,
      urls: post.urls,
      media: post.pictures.map(({ hash, alt }) => ({
        type: "image",
        url: `https://cdn.bsky.app/img/feed_fullsize/plain/${author.did}/${hash}@jpeg`,
        alt: alt === "" ? null : alt,
      })),
      geo: null,
      labels,
      possibly_sensitive: labels.some((label) => sensitiveLabels.includes(label)),
      source: null,
      public_metrics: {
        like_count: counts.likes(post),
        retweet_count: counts.reposts(post),
        reply_count: counts.replies(post),
        quote_count: counts.quotes(post),
      },
      origin: "upstream",
    },
    Score: 1,
  };
}

/** The reposter's post, with the original's content. */
function expectedRepost(entry: Entry & { subject: Post }, truth: Truth): ExpectedRecord {
  const { uri, author, subject, createdMs } = entry;
  const original = expectedPost(subject, truth);
  return {
    ...original,
    Metadata: {
      ...original.Metadata,
      url: null,
      uri,
      created_at: isoText(createdMs),
      username: author.handle,
      author: author.name,
      user_id: author.did,
      conversation_id: null,
      in_reply_to: null,
      is_reply: false,
      is_retweet: true,
      reposted: {
        id: null,
        uri: subject.uri,
        username: subject.author.handle,
        user_id: subject.author.did,
      },
      public_metrics: {
        like_count: null,
        retweet_count: null,
        reply_count: null,
        quote_count: null,
      },
    },
  };
}

export function expectedProfile(
  account: Account,
  { counts }: Truth,
  { appview }: { appview: string },
  view: "whole" | "listed",
): ExpectedRecord {
  const { did, avatar, createdMs } = account;
  const isWhole = view === "whole";
  return {
    Content: account.description ?? "",
    Metadata: {
      kind: "profile",
      platform: "bluesky",
      url: `https://bsky.app/profile/${did}`,
      created_at: createdMs === null ? null : isoText(createdMs),
      username: account.handle,
      author: account.name,
      author_verified: null,
      user_id: did,
      avatar_url: avatar === null ? null : `${appview}/img/avatar/plain/${did}/${avatar}`,
      banner_url: null,
      location: null,
      is_protected: false,
      is_bot: null,
      labels: account.labels.toSorted(),
      public_metrics: {
        followers_count: isWhole ? counts.followers(account) : null,
        following_count: isWhole ? counts.follows(account) : null,
        tweet_count: isWhole ? counts.posts(account) : null,
        listed_count: null,
      },
    },
    Score: 1,
  };
}

const isoText = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

export const uriRecordKey = (uri: string): string => uri.split("/").at(-1) ?? "";
