import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import type { Profile, Space, Trend } from "../posts/profile.ts";
import { encodeRecord, renderRecord } from "../posts/record.ts";
import { type RenderOptions, toFetchedItem } from "./render-record.ts";
import type { UpstreamItem } from "./upstream.ts";

const options: RenderOptions = { displayScope: "everything", recordId: () => 7n, nowMs: 0 };
const render = (item: UpstreamItem, overrides: Partial<RenderOptions> = {}) =>
  JSON.parse(toFetchedItem(item, { ...options, ...overrides }).record);

const profile: Profile = {
  platform: "x",
  userId: "12",
  username: "jack",
  name: "Jack",
  description: "just setting up",
  url: null,
  avatarUrl: "https://pbs.twimg.com/a.jpg",
  bannerUrl: null,
  location: "Earth",
  createdAt: "2006-03-21T20:50:14.000Z",
  verified: true,
  isProtected: false,
  isBot: null,
  labels: [],
  counts: { followers: 6, following: 5, posts: 4, listed: 3 },
};

const trend: Trend = {
  platform: "x",
  rank: 2,
  name: "#comet",
  url: "https://x.com/search?q=%23comet",
  posts: 1_200,
  category: null,
  startedAt: null,
};

const space: Space = {
  platform: "x",
  id: "1YqKDqWqdPLsV",
  title: "On comets",
  state: "live",
  url: null,
  hostIds: ["12"],
  speakerIds: ["12", "13"],
  participants: 40,
  lang: "en",
  createdAt: "2026-01-31T12:00:00Z",
  scheduledAt: null,
  startedAt: "2026-01-31T12:00:00.5Z",
  endedAt: "soon",
};

describe("a post", () => {
  test("a fetched post has the same record as an archived one", () => {
    const post = makePost({ text: "a comet", urls: ["https://a.example/"], origin: "upstream" });
    const { createdMs, counts, platform, uri, userId } = post;
    const timeMs = createdMs ?? 0;
    const row = { id: 7n, platform, timeMs, counts, record: encodeRecord(post, timeMs) };
    const record = renderRecord(row, () => ({ handle: null, name: null }));
    const item = toFetchedItem({ kind: "post", post }, options);
    expect(item).toEqual({ platform, id: 7n, uri, userId, record });
  });

  test("a fetched post has its platform's own id as ID", () => {
    const post = makePost({ platform: "x", nativeId: 20n });
    const item = toFetchedItem({ kind: "post", post }, options);
    expect(item.id).toBe(20n);
    expect(JSON.parse(item.record)).toMatchObject({
      ID: "20",
      Metadata: { uri: "https://x.com/i/status/20" },
    });
  });

  test("a post with any text is a record of one line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, name) => {
        const post = makePost({ text, username: name, authorName: name, urls: [text] });
        const { record } = toFetchedItem({ kind: "post", post }, options);
        expect(record).not.toContain("\n");
        expect(JSON.parse(record).Content).toBe(text);
      }),
    );
  });

  test("a post of which only IDs are permitted shows nothing else", () => {
    const post = makePost({
      platform: "x",
      nativeId: 20n,
      userId: "12",
      username: "secretname",
      authorName: "secretname",
      text: "secrettext",
      urls: ["https://secrettext.example"],
      hashtags: ["secrettext"],
      langs: ["en"],
      counts: { likes: 5, reposts: 5, replies: 5, quotes: 5 },
      inReplyTo: { id: "19", uri: null, username: "secretname", userId: "13" },
    });
    const ids = { displayScope: "ids" as const };
    const { record } = toFetchedItem({ kind: "post", post }, { ...options, ...ids });
    expect(record).not.toContain("secret");
    const reported = JSON.parse(record);
    const full = render({ kind: "post", post });
    expect(reported).toMatchObject({
      ID: "20",
      Content: "",
      Metadata: {
        kind: "ids",
        platform: "x",
        uri: "https://x.com/i/status/20",
        url: "https://x.com/i/status/20",
        user_id: "12",
        created_at: null,
        in_reply_to: null,
        is_reply: null,
        langs: [],
        public_metrics: { like_count: null },
      },
      Score: 1,
    });
    const { kind, ...members } = reported.Metadata;
    expect(Object.keys(members)).toEqual(Object.keys(full.Metadata));
  });
});

test("the record of a profile has its account's id as ID", () => {
  expect(toFetchedItem({ kind: "profile", profile }, options)).toMatchObject({
    platform: "x",
    id: null,
    uri: null,
    userId: "12",
  });
  expect(render({ kind: "profile", profile })).toEqual({
    ID: "12",
    Content: "just setting up",
    Metadata: {
      kind: "profile",
      platform: "x",
      url: "https://x.com/jack",
      created_at: "2006-03-21T20:50:14Z",
      username: "jack",
      author: "Jack",
      author_verified: true,
      user_id: "12",
      avatar_url: "https://pbs.twimg.com/a.jpg",
      banner_url: null,
      location: "Earth",
      is_protected: false,
      is_bot: null,
      labels: [],
      public_metrics: {
        followers_count: 6,
        following_count: 5,
        tweet_count: 4,
        listed_count: 3,
      },
    },
    Score: 1,
  });
});

test("the record of a profile on Bluesky links to the page of its DID", () => {
  const blueskyProfile = { ...profile, platform: "bluesky" as const, userId: "did:plc:ann" };
  const { Metadata } = render({ kind: "profile", profile: blueskyProfile });
  expect(Metadata.url).toBe("https://bsky.app/profile/did:plc:ann");
});

test("the record of a trend has its rank as ID", () => {
  expect(render({ kind: "trend", trend })).toEqual({
    ID: "2",
    Content: "#comet",
    Metadata: {
      kind: "trend",
      platform: "x",
      url: "https://x.com/search?q=%23comet",
      created_at: null,
      rank: 2,
      category: null,
      public_metrics: { tweet_count: 1_200 },
    },
    Score: 1,
  });
});

test("the record of a Space has its id as ID, and null for an unreadable time", () => {
  expect(render({ kind: "space", space })).toEqual({
    ID: "1YqKDqWqdPLsV",
    Content: "On comets",
    Metadata: {
      kind: "space",
      platform: "x",
      url: "https://x.com/i/spaces/1YqKDqWqdPLsV",
      created_at: "2026-01-31T12:00:00Z",
      state: "live",
      lang: "en",
      host_ids: ["12"],
      speaker_ids: ["12", "13"],
      scheduled_at: null,
      started_at: "2026-01-31T12:00:00.500Z",
      ended_at: null,
      public_metrics: { participant_count: 40 },
    },
    Score: 1,
  });
});

test.each([
  [{ kind: "profile", profile }, "12", ["jack", "Jack", "just", "pbs"], "https://x.com/i/user/12"],
  [{ kind: "trend", trend }, "2", ["comet", "1200"], null],
  [{ kind: "space", space }, "1YqKDqWqdPLsV", ["comets", "live", '"13"'], undefined],
] as const)(
  "if only its ID is permitted, %j is shown without its content",
  (item, id, hidden, url) => {
    const { record } = toFetchedItem(item, { ...options, displayScope: "ids" });
    const reported = JSON.parse(record);
    expect(reported).toMatchObject({ ID: id, Content: "" });
    for (const text of hidden) expect(record).not.toContain(text);
    if (url !== undefined) expect(reported.Metadata.url).toBe(url);
    const { Metadata } = render(item);
    expect(Object.keys(reported.Metadata)).toEqual(Object.keys(Metadata));
  },
);
