import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSpace, readTrend } from "./fetch-spaces-and-trends.ts";
import { readXUser } from "./fetch-users.ts";
import { readIncludes } from "./includes.ts";
import { isPostWithheld, readXPost, withOriginal } from "./read-post.ts";

const id = "1212092628029698048";
const includes = readIncludes({
  users: [
    { id: "2244994945", username: "XDevelopers", name: "Developers", verified: true },
    { id: "12", username: "Bob", name: "Bob" },
  ],
  media: [
    { media_key: "3_1", type: "photo", url: "https://pbs.twimg.com/a.jpg", alt_text: "a heron" },
    {
      media_key: "7_2",
      type: "video",
      preview_image_url: "https://pbs.twimg.com/b.jpg",
      variants: [
        { content_type: "application/x-mpegURL", url: "https://video.twimg.com/b.m3u8" },
        { bit_rate: 10, content_type: "video/mp4", url: "https://video.twimg.com/low.mp4" },
        { bit_rate: 99, content_type: "video/mp4", url: "https://video.twimg.com/high.mp4" },
      ],
    },
  ],
});

const json = {
  id,
  text: "Hello @Bob, see https://t.co/a $TWTR #Herons &amp; more",
  author_id: "2244994945",
  created_at: "2019-12-31T19:26:16.000Z",
  conversation_id: "1212092627178287104",
  in_reply_to_user_id: "12",
  lang: "en",
  possibly_sensitive: false,
  referenced_tweets: [
    { type: "replied_to", id: "1212092627178287104" },
    { type: "quoted", id: "1212092627178287105" },
  ],
  entities: {
    hashtags: [{ start: 0, end: 7, tag: "Herons" }],
    cashtags: [{ start: 0, end: 5, tag: "TWTR" }],
    mentions: [{ start: 6, end: 10, username: "Bob", id: "12" }],
    urls: [
      {
        url: "https://t.co/a",
        expanded_url: "https://bit.ly/x",
        unwound_url: "https://example.com/long",
      },
      { url: "https://t.co/b", expanded_url: "https://x.com/X/status/1/photo/1", media_key: "3_1" },
      {
        url: "https://t.co/c",
        expanded_url: "https://twitter.com/carol/status/1212092627178287105",
      },
      { url: "https://t.co/d" },
    ],
  },
  attachments: { media_keys: ["3_1", "7_2", "3_gone"] },
  geo: { coordinates: { type: "Point", coordinates: [13.405, 52.52] }, place_id: "a" },
  public_metrics: { retweet_count: 7, reply_count: 3, like_count: 38, quote_count: 1 },
};

describe("an X post", () => {
  test("an X post is read with all its fields", () => {
    expect(readXPost(json, includes)).toEqual({
      platform: "x",
      uri: `https://x.com/i/status/${id}`,
      nativeId: BigInt(id),
      url: `https://x.com/XDevelopers/status/${id}`,
      username: "XDevelopers",
      userId: "2244994945",
      authorName: "Developers",
      authorVerified: true,
      createdAt: "2019-12-31T19:26:16.000Z",
      createdMs: Date.UTC(2019, 11, 31, 19, 26, 16),
      seenMs: 1577820376771,
      text: "Hello @Bob, see https://t.co/a $TWTR #Herons &amp; more",
      langs: ["en"],
      detectedLang: null,
      conversationId: "1212092627178287104",
      inReplyTo: {
        id: "1212092627178287104",
        uri: "https://x.com/i/status/1212092627178287104",
        username: "Bob",
        userId: "12",
      },
      quoted: {
        id: "1212092627178287105",
        uri: "https://x.com/i/status/1212092627178287105",
        username: "carol",
        userId: null,
      },
      reposted: null,
      isReply: true,
      isQuote: true,
      isRepost: false,
      hashtags: ["Herons"],
      mentions: [{ username: "Bob", userId: "12" }],
      urls: [
        "https://bit.ly/x",
        "https://example.com/long",
        "https://twitter.com/carol/status/1212092627178287105",
        "https://t.co/d",
      ],
      media: [
        { type: "photo", url: "https://pbs.twimg.com/a.jpg", alt: "a heron" },
        { type: "video", url: "https://video.twimg.com/high.mp4", alt: null },
      ],
      geo: { lat: 52.52, lon: 13.405 },
      labels: [],
      sensitive: false,
      source: null,
      counts: { likes: 38, reposts: 7, replies: 3, quotes: 1 },
      origin: "upstream",
      revision: "",
    });
  });

  test("a post in X's newer vocabulary is read in the same way", () => {
    const { referenced_tweets, public_metrics, ...rest } = json;
    const { retweet_count, ...metrics } = public_metrics;
    const renamedPost = {
      ...rest,
      referenced_posts: referenced_tweets,
      public_metrics: { ...metrics, repost_count: retweet_count },
    };
    expect(readXPost(renamedPost, includes)).toEqual(readXPost(json, includes));
  });

  test.each(["note_tweet", "note_post"])(
    "an X post has the full text of a long post, from %s",
    (name) => {
      const note = { text: "all of it #Long", entities: { hashtags: [{ tag: "Long" }] } };
      expect(readXPost({ ...json, [name]: note }, includes)).toMatchObject({
        text: "all of it #Long",
        hashtags: ["Long"],
        urls: [],
      });
      // A note without entities uses those of the text.
      expect(readXPost({ ...json, [name]: { text: "all" } }, includes)).toMatchObject({
        text: "all",
        hashtags: ["Herons"],
      });
    },
  );

  test("a repost on X has the original's author and content", () => {
    const repost = readXPost(
      {
        id,
        author_id: "12",
        text: "RT @carol: a long st…",
        referenced_tweets: [{ type: "retweeted", id: "1212092627178287105" }],
        entities: { mentions: [{ username: "Carol", id: "77" }] },
      },
      includes,
    );
    expect(repost).toMatchObject({
      username: "Bob",
      isRepost: true,
      reposted: { id: "1212092627178287105", username: "Carol", userId: "77" },
    });
    const original = readXPost({ ...json, id: "1212092627178287105" }, includes);
    if (repost === null || original === null) throw new Error("both are posts");
    expect(withOriginal(repost, original)).toMatchObject({
      uri: repost.uri,
      createdAt: repost.createdAt,
      username: "Bob",
      text: original.text,
      media: original.media,
      counts: original.counts,
      reposted: { username: "XDevelopers", userId: "2244994945" },
    });
  });

  test("a self-reply on X without mentions names its own author", () => {
    const selfReply = { ...json, in_reply_to_user_id: "2244994945", entities: {} };
    expect(readXPost(selfReply, includes)?.inReplyTo?.username).toBe("XDevelopers");
  });

  test("an X post without a time gets its ID's time", () => {
    const { created_at, ...untimedPost } = json;
    expect(readXPost(untimedPost, includes)).toMatchObject({ createdMs: 1577820376771 });
    expect(readXPost({ ...untimedPost, id: "20" }, includes)).toBeNull();
  });

  test.each([
    ["no valid ID", { ...json, id: 5 }],
    ["an ID that is too long", { ...json, id: "92233720368547758080" }],
    ["no author", { ...json, author_id: undefined }],
  ])("an X post with %s is rejected", (_what, value) => {
    expect(readXPost(value, includes)).toBeNull();
  });

  test("an X post is withheld if X withholds it everywhere or for copyright", () => {
    expect(isPostWithheld({ withheld: { copyright: true, country_codes: ["US"] } })).toBe(true);
    expect(isPostWithheld({ withheld: { copyright: false, country_codes: ["XX"] } })).toBe(true);
    expect(isPostWithheld({ withheld: { copyright: false, country_codes: ["DE"] } })).toBe(false);
    expect(isPostWithheld({})).toBe(false);
  });
});

describe("an X account", () => {
  test("an X account is read with all its fields", () => {
    const user = {
      id: "2244994945",
      username: "XDevelopers",
      name: "Developers",
      created_at: "2013-12-14T04:35:55.000Z",
      description: "The voice of the X Dev team\nand more",
      location: "127.0.0.1",
      url: "https://t.co/a",
      entities: { url: { urls: [{ url: "https://t.co/a", expanded_url: "https://docs.x.com/" }] } },
      profile_image_url: "https://pbs.twimg.com/p.jpg",
      profile_banner_url: "https://pbs.twimg.com/banner",
      protected: false,
      verified: true,
      parody: true,
      public_metrics: { followers_count: 5, following_count: 4, tweet_count: 3, listed_count: 2 },
    };
    const profile = {
      platform: "x",
      userId: "2244994945",
      username: "XDevelopers",
      name: "Developers",
      description: "The voice of the X Dev team\nand more",
      url: "https://docs.x.com/",
      avatarUrl: "https://pbs.twimg.com/p.jpg",
      bannerUrl: "https://pbs.twimg.com/banner",
      location: "127.0.0.1",
      createdAt: "2013-12-14T04:35:55.000Z",
      verified: true,
      isProtected: false,
      isBot: null,
      labels: ["parody"],
      counts: { followers: 5, following: 4, posts: 3, listed: 2 },
    };
    expect(readXUser(user)).toEqual(profile);
    const { tweet_count, ...metrics } = user.public_metrics;
    expect(readXUser({ ...user, public_metrics: { ...metrics, post_count: tweet_count } })).toEqual(
      profile,
    );
    expect(readXUser({ ...user, username: "not a name" })).toBeNull();
  });
});

const hostileTexts = [
  "",
  "\u0000",
  "\ud800",
  "__proto__",
  "-1",
  "1e400",
  "9".repeat(40),
  "a".repeat(200_000),
  "http://",
  "https://[",
  "javascript:alert(1)",
];

function mutate(value: unknown): fc.Arbitrary<unknown> {
  const arbitrary = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(...hostileTexts),
    fc.double(),
    fc.constant(undefined),
  );
  if (typeof value !== "object" || value === null) {
    return fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary });
  }
  const parts = Array.isArray(value)
    ? fc.tuple(...value.map(mutate))
    : fc.record(
        Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mutate(part)])),
      );
  return fc.oneof({ weight: 12, arbitrary: parts }, { weight: 1, arbitrary });
}

test("any response from X is read without throwing, and yields only well-formed values", () => {
  const post = { ...json, note_tweet: { text: "long", entities: json.entities } };
  fc.assert(
    fc.property(
      mutate(post),
      mutate({ users: [...includes.users.values()], media: [...includes.media.values()] }),
      (value, otherIncludes) => {
        const post = readXPost(value, readIncludes(otherIncludes));
        if (post !== null) {
          expect(post.text.isWellFormed()).toBe(true);
          expect(post.uri).toMatch(/^https:\/\/x\.com\/i\/status\/[1-9]\d*$/);
          expect([...post.urls, ...post.media.map(({ url }) => url ?? "http://a")]).toSatisfy(
            (urls: string[]) => urls.every((url) => URL.canParse(url)),
          );
        }
        isPostWithheld(value);
        readXUser(value);
        readSpace(value);
        readTrend(value, 1);
      },
    ),
    { numRuns: 200 },
  );
});
