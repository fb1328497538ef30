import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTime } from "../../../testkit/cpu-time.ts";
import { encodeRecord } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { isIndexable, readStatusPost } from "./post.ts";
import { readTagTrend } from "./trends-page.ts";
import { readAccountProfile } from "./view-page.ts";

const context = { instance: "a.example", seenMs: 7, origin: "upstream" } as const;

const ann = {
  id: "1",
  acct: "ann",
  display_name: "Ann \u202e",
  indexable: true,
};
const status = {
  id: "101",
  uri: "https://a.example/users/ann/statuses/101",
  url: "https://a.example/@ann/101",
  created_at: "2026-11-01T10:00:00.000Z",
  visibility: "public",
  language: "en",
  content: "<p>hello</p>",
  account: ann,
  favourites_count: 3,
  reblogs_count: 2,
  replies_count: 1,
  quotes_count: 0,
};
const getPost = (change: object) => readStatusPost({ ...status, ...change }, context);

describe("a status", () => {
  it("a Mastodon status is a post of the account on the server that returned it", () => {
    expect(getPost({ application: { name: "Tusky" } })).toEqual({
      platform: "mastodon",
      uri: status.uri,
      nativeId: null,
      url: status.url,
      username: "ann@a.example",
      userId: "1@a.example",
      authorName: "Ann",
      authorVerified: null,
      createdAt: status.created_at,
      createdMs: Date.UTC(2026, 10, 1, 10),
      seenMs: 7,
      text: "hello",
      langs: ["en"],
      detectedLang: null,
      conversationId: null,
      inReplyTo: null,
      quoted: null,
      reposted: null,
      isReply: false,
      isQuote: false,
      isRepost: false,
      hashtags: [],
      mentions: [],
      urls: [],
      media: [],
      geo: null,
      labels: [],
      sensitive: false,
      source: "Tusky",
      counts: { likes: 3, reposts: 2, replies: 1, quotes: 0 },
      origin: "upstream",
      revision: "2026-11-01T10:00:00.000Z",
    });
  });

  it("a Mastodon status from another server has that server's name and uri", () => {
    const uri = "https://b.example/objects/5f3c";
    expect(
      getPost({ uri, url: null, account: { id: "01ABC", acct: "bob@b.example" } }),
    ).toMatchObject({
      uri,
      url: null,
      username: "bob@b.example",
      userId: "01ABC@a.example",
    });
  });

  it("the text of a Mastodon status follows its content warning and precedes its poll, as in Mastodon's search", () => {
    const poll = { options: [{ title: "yes" }, { title: "no" }, { title: null }, 7] };
    expect(getPost({ spoiler_text: "food & drink", poll })).toMatchObject({
      text: "food & drink\n\nhello\n\nyes\nno",
      sensitive: true,
    });
  });

  it("a Mastodon status has the mentions, hashtags and links that it lists, and those in its text", () => {
    const content =
      '<p><a href="https://b.example/@bob">@bob</a> @carol <a href="https://a.example/tags/Cats">#Cats</a> #dogs <a href="https://c.example/x">https://c.example/x</a> d.com/y</p>';
    expect(
      getPost({
        content,
        mentions: [{ id: "2", acct: "bob@b.example", url: "https://b.example/@bob" }],
        tags: [{ name: "cats", url: "https://a.example/tags/Cats" }],
        card: { url: "https://c.example/card" },
      }),
    ).toMatchObject({
      mentions: [
        { username: "bob@b.example", userId: "2@a.example" },
        { username: "carol", userId: null },
      ],
      hashtags: ["cats", "dogs"],
      urls: ["https://c.example/x", "https://c.example/card", "d.com/y"],
    });
  });

  it("a Mastodon status has its media with their descriptions", () => {
    expect(
      getPost({
        media_attachments: [
          { type: "image", url: "https://f.example/1.png", description: " a cat " },
          { type: "gifv", url: null, remote_url: "https://g.example/2.mp4", description: null },
          { type: "unknown", url: "file:///etc/passwd", preview_url: "https://f.example/3.png" },
          { type: "hologram", url: "https://f.example/4" },
          "none",
        ],
      })?.media,
    ).toEqual([
      { type: "image", url: "https://f.example/1.png", alt: "a cat" },
      { type: "gifv", url: "https://g.example/2.mp4", alt: null },
      { type: "unknown", url: "https://f.example/3.png", alt: null },
      { type: "unknown", url: "https://f.example/4", alt: null },
    ]);
  });

  it("a Mastodon status that is a reply has its parent by id on the server, and the parent's author", () => {
    const reply = { in_reply_to_id: "100", in_reply_to_account_id: "2" };
    expect(getPost({ ...reply, mentions: [{ id: "2", acct: "bob@b.example" }] })).toMatchObject({
      isReply: true,
      inReplyTo: {
        id: "100",
        uri: "import:mastodon:100@a.example",
        username: "bob@b.example",
        userId: "2@a.example",
      },
    });
    expect(getPost({ ...reply, in_reply_to_account_id: "1" })?.inReplyTo?.username).toBe(
      "ann@a.example",
    );
  });

  it("a Mastodon status that is a quote has the quoted post if its author accepted the quote", () => {
    const quoted = {
      ...status,
      id: "99",
      uri: "https://b.example/99",
      account: { id: "2", acct: "bob@b.example" },
    };
    const reference = {
      id: "99",
      uri: "https://b.example/99",
      username: "bob@b.example",
      userId: "2@a.example",
    };
    expect(getPost({ quote: { state: "accepted", quoted_status: quoted } })).toMatchObject({
      isQuote: true,
      quoted: reference,
    });
    expect(getPost({ quote: quoted })?.quoted).toEqual(reference);
    expect(getPost({ quote: { state: "accepted", quoted_status_id: "99" } })?.quoted).toMatchObject(
      {
        uri: "import:mastodon:99@a.example",
      },
    );
    for (const state of ["pending", "rejected", "revoked", "deleted", "unauthorized"]) {
      expect(getPost({ quote: { state, quoted_status: quoted } })).toMatchObject({
        isQuote: false,
        quoted: null,
      });
    }
  });

  it("a Mastodon status has the same text with or without the fallback for its quote", () => {
    const content =
      '<p class="quote-inline">RE: <a href="https://b.example/99">b</a></p><p>see</p>';
    const quote = { state: "accepted", quoted_status: { ...status, uri: "https://b.example/99" } };
    expect(getPost({ content, quote })?.text).toBe("see");
  });

  it("a Mastodon status that is a boost belongs to the booster and has the original's text", () => {
    const original = {
      ...status,
      in_reply_to_id: "5",
      account: { id: "2", acct: "bob@b.example" },
    };
    const uri = "https://a.example/users/ann/statuses/200/activity";
    expect(
      getPost({
        id: "200",
        uri,
        url: null,
        created_at: "2026-11-02T00:00:00Z",
        content: "",
        reblog: original,
      }),
    ).toMatchObject({
      uri,
      username: "ann@a.example",
      createdMs: Date.UTC(2026, 10, 2),
      text: "hello",
      isRepost: true,
      isReply: false,
      inReplyTo: null,
      reposted: { id: "101", uri: status.uri, username: "bob@b.example", userId: "2@a.example" },
      counts: { likes: null, reposts: null, replies: null, quotes: null },
    });
    expect(getPost({ reblog: {} })).toBeNull();
  });

  it("an edited Mastodon status is a later revision", () => {
    const before = getPost({})?.revision ?? "";
    const after = getPost({ edited_at: "2026-11-01T10:00:00.5+00:00" })?.revision ?? "";
    expect(after > before).toBe(true);
    expect(getPost({ created_at: "soon" })?.revision).toBe("");
  });

  it("a Mastodon status without an identity or author is rejected", () => {
    expect(getPost({ uri: undefined, url: undefined })).toBeNull();
    expect(getPost({ uri: "javascript:x", url: null })).toBeNull();
    expect(getPost({ account: null })).toBeNull();
    expect(getPost({ account: { id: "../1", acct: "x" } })).toBeNull();
    expect(getPost({ account: { id: "1", acct: "x y" } })).toBeNull();
  });
});

describe("whether a status can be indexed", () => {
  it("a Mastodon status can be indexed if it is public and its author opted in", () => {
    expect(isIndexable(status)).toBe(true);
    expect(isIndexable({ ...status, visibility: "unlisted" })).toBe(false);
    expect(isIndexable({ ...status, account: { ...ann, indexable: false } })).toBe(false);
    expect(isIndexable({ ...status, account: { id: "1", acct: "ann" } })).toBe(false);
    expect(isIndexable({ ...status, account: { ...ann, noindex: true } })).toBe(false);
  });

  it("a Mastodon boost can be indexed only if the boosted status can be", () => {
    expect(isIndexable({ ...status, reblog: status })).toBe(true);
    expect(isIndexable({ ...status, reblog: { ...status, visibility: "private" } })).toBe(false);
    expect(isIndexable({ ...status, reblog: { ...status, account: {} } })).toBe(false);
  });
});

it("any JSON status is read or rejected, and the result can be stored and searched", () => {
  const fields = Object.keys({
    ...status,
    spoiler_text: 0,
    in_reply_to_id: 0,
    in_reply_to_account_id: 0,
    sensitive: 0,
    edited_at: 0,
    media_attachments: 0,
    mentions: 0,
    tags: 0,
    card: 0,
    poll: 0,
    quote: 0,
    reblog: 0,
    application: 0,
  });
  const plain = fc.oneof(
    fc.constantFrom(
      null,
      true,
      -1,
      Number.POSITIVE_INFINITY,
      "",
      "2026-11-01",
      "https://x.example/1",
    ),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
      .map((units) => String.fromCharCode(...units)),
  );
  const odd = fc.oneof(
    plain,
    fc.constantFrom(status, [status], { options: [{ title: {} }] }, { quoted_status: status }, [
      [],
    ]),
    fc
      .tuple(fc.constantFrom("id", "acct", "name", "url", "type", "description"), plain)
      .map(([name, value]) => [{ [name]: value }]),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...fields), odd, { maxKeys: 5 }),
      odd,
      (change, other) => {
        for (const value of [
          { ...status, ...change },
          { ...status, reblog: { ...status, ...change } },
          other,
        ]) {
          const post = readStatusPost(value, context);
          isIndexable(value);
          readAccountProfile(value, "a.example");
          readTagTrend(value, 1);
          if (post === null) continue;
          expect(post.text.isWellFormed()).toBe(true);
          indexTerms(post);
          encodeRecord(post, 0);
        }
      },
    ),
    { numRuns: 400 },
  );
});

it("a deeply nested or huge Mastodon status is read in bounded time", () => {
  let deep: unknown = status;
  for (let depth = 0; depth < 2_000; depth += 1) deep = { ...status, reblog: deep, quote: deep };
  const many = Array.from({ length: 50_000 }, (_, index) => ({
    id: String(index),
    acct: `a${index}`,
    name: `t${index}`,
    type: "image",
    url: "https://x.example/1",
  }));
  const huge = {
    ...status,
    mentions: many,
    tags: many,
    media_attachments: many,
    poll: { options: many },
  };
  const cpuMs = startCpuTime();
  expect(readStatusPost(deep, context)?.isRepost).toBe(true);
  isIndexable(deep);
  const post = readStatusPost(huge, context);
  expect(cpuMs()).toBeLessThan(2_000);
  expect(post?.mentions).toHaveLength(100);
  expect(post?.hashtags).toHaveLength(100);
});

it("a Mastodon profile has its description as text", () => {
  expect(
    readAccountProfile(
      {
        ...ann,
        note: "<p>I am <b>Ann</b></p>",
        url: "https://a.example/@ann",
        avatar: "https://f.example/a.png",
        header: "https://a.example/headers/original/missing.png",
        created_at: "2020-01-01T00:00:00.000Z",
        locked: true,
        bot: false,
        followers_count: 5,
        following_count: -1,
        statuses_count: "7",
      },
      "a.example",
    ),
  ).toEqual({
    platform: "mastodon",
    userId: "1@a.example",
    username: "ann@a.example",
    name: "Ann",
    description: "I am Ann",
    url: "https://a.example/@ann",
    avatarUrl: "https://f.example/a.png",
    bannerUrl: null,
    location: null,
    createdAt: "2020-01-01T00:00:00.000Z",
    verified: null,
    isProtected: true,
    isBot: false,
    labels: [],
    counts: { followers: 5, following: null, posts: null, listed: null },
  });
});
