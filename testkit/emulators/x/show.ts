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

export type RequestedFields = {
  naming: Naming;
  postFields: ReadonlySet<string>;
  userFields: ReadonlySet<string>;
  mediaFields: ReadonlySet<string>;
  expansions: ReadonlySet<string>;
};

type Json = Record<string, unknown>;

/** `id` and `text` are always included. */
export function showPost(
  post: EmulatedPost,
  { naming, postFields, expansions }: RequestedFields,
): Json {
  const name = names[naming];
  const { metrics = {}, references = [], media = [] } = post;
  const allFields: Json = {
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
    postFields.has(alternateName(field)) ||
    (field === "author_id" && expansions.has(field)) ||
    (field === "attachments" && expansions.has("attachments.media_keys"));
  return {
    id: post.id,
    text: post.text,
    edit_history_tweet_ids: [post.id],
    ...Object.fromEntries(
      Object.entries(allFields).filter(
        ([field, value]) => isRequested(field) && value !== undefined,
      ),
    ),
  };
}

/** Requests may use either vocabulary. */
function alternateName(field: string): string {
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
  const range = { start: 0, end: text.length };
  return {
    ...(hashtags.length === 0 ? {} : { hashtags: hashtags.map((tag) => ({ ...range, tag })) }),
    ...(mentions.length === 0
      ? {}
      : { mentions: mentions.map((mention) => ({ ...range, ...mention })) }),
    ...(urls.length === 0
      ? {}
      : {
          urls: urls.map(({ expanded, unwound, mediaKey }, index) => ({
            ...range,
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
  { naming, userFields }: RequestedFields,
  { posts }: Pick<EmulatedWorld, "posts">,
): Json {
  const postCount = posts.filter(({ authorId }) => authorId === user.id).length;
  const allFields: Json = {
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
    ...Object.fromEntries(Object.entries(allFields).filter(([field]) => userFields.has(field))),
  };
}

export function showIncludes(
  posts: readonly EmulatedPost[],
  fields: RequestedFields,
  world: EmulatedWorld,
): Json | undefined {
  const users = new Map(world.users.map((user) => [user.id, user]));
  const postsById = new Map(world.posts.map((post) => [post.id, post]));
  const referencedPosts = fields.expansions.has("referenced_tweets.id")
    ? posts.flatMap((post) => post.references ?? []).flatMap(({ id }) => postsById.get(id) ?? [])
    : [];
  const authors = [
    ...(fields.expansions.has("author_id") ? posts : []),
    ...(fields.expansions.has("referenced_tweets.id.author_id") ? referencedPosts : []),
  ].flatMap(({ authorId }) => users.get(authorId) ?? []);
  const media = fields.expansions.has("attachments.media_keys")
    ? posts.flatMap((post) => post.media ?? [])
    : [];
  const includes: Json = {
    ...(authors.length === 0
      ? {}
      : { users: [...new Set(authors)].map((user) => showUser(user, fields, world)) }),
    ...(referencedPosts.length === 0
      ? {}
      : {
          [names[fields.naming].posts]: [...new Set(referencedPosts)].map((post) =>
            showPost(post, fields),
          ),
        }),
    ...(media.length === 0 ? {} : { media: media.map((medium) => showMedia(medium, fields)) }),
  };
  return Object.keys(includes).length === 0 ? undefined : includes;
}

function showMedia(
  { key, type, url, alt }: NonNullable<EmulatedPost["media"]>[number],
  { mediaFields }: RequestedFields,
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
