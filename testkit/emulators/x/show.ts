import { conversationId } from "./evaluate.ts";
import type { EmulatedPost, EmulatedUser, EmulatedWorld } from "./model.ts";

export type Naming = "tweet" | "post";

const names = {
  tweet: {
    referenced: "referenced_tweets",
    reposts: "retweet_count",
    note: "note_tweet",
    posts: "tweets",
    own: "tweet_count",
  },
  post: {
    referenced: "referenced_posts",
    reposts: "repost_count",
    note: "note_post",
    posts: "posts",
    own: "post_count",
  },
} as const;

export type Shown = {
  naming: Naming;
  postFields: ReadonlySet<string>;
  userFields: ReadonlySet<string>;
  mediaFields: ReadonlySet<string>;
  expansions: ReadonlySet<string>;
};

type Json = Record<string, unknown>;

/** `id` and `text` are always included. */
export function showPost(post: EmulatedPost, { naming, postFields, expansions }: Shown): Json {
  const name = names[naming];
  const { metrics = {}, references = [], media = [] } = post;
  const all: Json = {
    [name.note]:
      post.noteText === undefined
        ? undefined
        : { text: post.noteText, entities: makeEntities(post) },
    attachments: media.length === 0 ? undefined : { media_keys: media.map(({ key }) => key) },
    author_id: post.authorId,
    conversation_id: conversationId(post),
    created_at: `${new Date(post.createdMs).toISOString().slice(0, 19)}.000Z`,
    entities: makeEntities(post),
    geo: post.geo && { coordinates: { type: "Point", coordinates: [post.geo.lon, post.geo.lat] } },
    in_reply_to_user_id: post.inReplyToUserId,
    lang: post.lang ?? "und",
    possibly_sensitive: post.isSensitive ?? false,
    public_metrics: {
      [name.reposts]: metrics.reposts ?? 0,
      reply_count: metrics.replies ?? 0,
      like_count: metrics.likes ?? 0,
      quote_count: metrics.quotes ?? 0,
      bookmark_count: 0,
      impression_count: 0,
    },
    [name.referenced]: references.length === 0 ? undefined : references,
    withheld: post.withheld,
  };
  const isRequested = (field: string): boolean =>
    postFields.has(field) ||
    postFields.has(otherName(field)) ||
    (field === "author_id" && expansions.has(field)) ||
    (field === "attachments" && expansions.has("attachments.media_keys"));
  return {
    id: post.id,
    text: post.text,
    edit_history_tweet_ids: [post.id],
    ...Object.fromEntries(
      Object.entries(all).filter(([field, value]) => isRequested(field) && value !== undefined),
    ),
  };
}

/** Requests may use either vocabulary. */
function otherName(field: string): string {
  const { tweet, post } = names;
  if (field === post.referenced) return tweet.referenced;
  if (field === tweet.referenced) return post.referenced;
  if (field === post.note) return tweet.note;
  return field === tweet.note ? post.note : field;
}

function makeEntities({
  text,
  hashtags = [],
  mentions = [],
  urls = [],
}: EmulatedPost): Json | undefined {
  if (hashtags.length + mentions.length + urls.length === 0) return undefined;
  const at = { start: 0, end: text.length };
  return {
    ...(hashtags.length === 0 ? {} : { hashtags: hashtags.map((tag) => ({ ...at, tag })) }),
    ...(mentions.length === 0
      ? {}
      : { mentions: mentions.map((mention) => ({ ...at, ...mention })) }),
    ...(urls.length === 0
      ? {}
      : {
          urls: urls.map(({ expanded, unwound, mediaKey }, index) => ({
            ...at,
            url: `https://t.co/a${index}`,
            expanded_url: expanded,
            display_url: "…",
            ...(unwound === undefined ? {} : { unwound_url: unwound, status: 200 }),
            ...(mediaKey === undefined ? {} : { media_key: mediaKey }),
          })),
        }),
  };
}

export function showUser(
  user: EmulatedUser,
  { naming, userFields }: Shown,
  { posts }: Pick<EmulatedWorld, "posts">,
): Json {
  const postCount = posts.filter(({ authorId }) => authorId === user.id).length;
  const all: Json = {
    created_at: "2009-03-21T20:50:14.000Z",
    description: user.description ?? "",
    protected: user.isProtected ?? false,
    verified: user.verified ?? false,
    profile_image_url: `https://pbs.twimg.com/profile_images/${user.id}/a_normal.jpg`,
    public_metrics: {
      followers_count: user.followers?.length ?? 0,
      following_count: 0,
      [names[naming].own]: postCount + (user.otherPosts ?? 0),
      listed_count: 0,
    },
  };
  return {
    id: user.id,
    username: user.username,
    name: user.name ?? user.username,
    ...Object.fromEntries(Object.entries(all).filter(([field]) => userFields.has(field))),
  };
}

export function showIncludes(
  posts: readonly EmulatedPost[],
  shown: Shown,
  world: EmulatedWorld,
): Json | undefined {
  const users = new Map(world.users.map((user) => [user.id, user]));
  const known = new Map(world.posts.map((post) => [post.id, post]));
  const others = shown.expansions.has("referenced_tweets.id")
    ? posts.flatMap((post) => post.references ?? []).flatMap(({ id }) => known.get(id) ?? [])
    : [];
  const authors = [
    ...(shown.expansions.has("author_id") ? posts : []),
    ...(shown.expansions.has("referenced_tweets.id.author_id") ? others : []),
  ].flatMap(({ authorId }) => users.get(authorId) ?? []);
  const media = shown.expansions.has("attachments.media_keys")
    ? posts.flatMap((post) => post.media ?? [])
    : [];
  const includes: Json = {
    ...(authors.length === 0
      ? {}
      : { users: [...new Set(authors)].map((user) => showUser(user, shown, world)) }),
    ...(others.length === 0
      ? {}
      : { [names[shown.naming].posts]: [...new Set(others)].map((post) => showPost(post, shown)) }),
    ...(media.length === 0 ? {} : { media: media.map((medium) => showMedia(medium, shown)) }),
  };
  return Object.keys(includes).length === 0 ? undefined : includes;
}

function showMedia(
  { key, type, url, alt }: NonNullable<EmulatedPost["media"]>[number],
  { mediaFields }: Shown,
): Json {
  return {
    media_key: key,
    type,
    ...(mediaFields.has("url") && type === "photo" ? { url } : {}),
    ...(mediaFields.has("variants") && type !== "photo" && url !== undefined
      ? {
          variants: [
            { content_type: "application/x-mpegURL", url: `${url}.m3u8` },
            { bit_rate: 1_000, content_type: "video/mp4", url },
          ],
        }
      : {}),
    ...(mediaFields.has("alt_text") && alt !== undefined ? { alt_text: alt } : {}),
  };
}
