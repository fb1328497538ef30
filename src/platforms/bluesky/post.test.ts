import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { postKey } from "../../posts/references.ts";
import { indexTerms } from "../../posts/terms.ts";
import { readCommitPost } from "./post.ts";

const did = "did:plc:dclwtltrt2ggsryagfzk7dp4";
const other = "did:plc:r2zybk6op3ymzpz6jhqpkoy5";
const postUri = `at://${other}/app.bsky.feed.post/3mpsjbtci2c2o`;
const cid = "bafkreias7oxbr6swsuggccmtnqpoeami4jza5x4w3urltn6gzhqf4k6k2e";

const recordPost = (record: unknown) =>
  readCommitPost({
    did,
    collection: "app.bsky.feed.post",
    rkey: "3mptbyoeyc22k",
    rev: "3mptbypcq372f",
    record,
    seenMs: 1_783_175_888_090,
  });

describe("a post from the stream", () => {
  test("a Bluesky post from the stream has text, time, languages, account and revision", () => {
    expect(
      recordPost({ text: "hello", createdAt: "2026-07-04T14:38:06.240Z", langs: ["en", "pt-BR"] }),
    ).toMatchObject({
      platform: "bluesky",
      uri: `at://${did}/app.bsky.feed.post/3mptbyoeyc22k`,
      username: "",
      userId: did,
      text: "hello",
      createdAt: "2026-07-04T14:38:06.240Z",
      createdMs: Date.parse("2026-07-04T14:38:06.240Z"),
      seenMs: 1_783_175_888_090,
      langs: ["en", "pt-BR"],
      isReply: false,
      isQuote: false,
      sensitive: false,
      origin: "stream",
      revision: "3mptbypcq372f",
    });
  });

  test("the facets of a Bluesky post are read by their UTF-8 offsets", () => {
    const text = "🙂 @alice.example see example.org #日本";
    const at = (part: string) => {
      const byteStart = Buffer.byteLength(text.slice(0, text.indexOf(part)));
      return { byteStart, byteEnd: byteStart + Buffer.byteLength(part) };
    };
    const facet = (part: string, feature: object) => ({ index: at(part), features: [feature] });
    const post = recordPost({
      text,
      facets: [
        facet("@alice.example", { $type: "app.bsky.richtext.facet#mention", did: other }),
        facet("example.org", {
          $type: "app.bsky.richtext.facet#link",
          uri: "https://example.org/a",
        }),
        facet("#日本", { $type: "app.bsky.richtext.facet#tag", tag: "日本" }),
      ],
      tags: ["extra"],
    });
    expect(post.mentions).toEqual([{ username: "alice.example", userId: other }]);
    expect(post.urls).toEqual(["https://example.org/a"]);
    expect(post.hashtags).toEqual(["日本", "extra"]);
  });

  test("a mention with a wrong offset retains only its account", () => {
    const features = [{ $type: "app.bsky.richtext.facet#mention", did: other }];
    const facets = [{ index: { byteStart: 0, byteEnd: 900 }, features }];
    expect(recordPost({ text: "hi", facets }).mentions).toEqual([{ username: "", userId: other }]);
  });

  test("entities without a facet are found in the text of a Bluesky post", () => {
    const text = "booking.com by @alice.bsky.social and @bob, #deal #Deal https://example.org/a";
    const post = recordPost({ text });
    expect(post.urls).toEqual(["booking.com", "https://example.org/a"]);
    expect(post.mentions).toEqual([
      { username: "alice.bsky.social", userId: null },
      { username: "bob", userId: null },
    ]);
    expect(post.hashtags).toEqual(["deal"]);
  });

  test("a facet determines the entity of its span", () => {
    const text = "ü https://example.org/cut… @bob.com @Bob.com #ab";
    const facet = (part: string, feature: object) => {
      const byteStart = Buffer.byteLength(text.slice(0, text.indexOf(part)));
      return {
        index: { byteStart, byteEnd: byteStart + Buffer.byteLength(part) },
        features: [feature],
      };
    };
    const uri = "https://example.org/cut-no-more";
    const facets = [
      facet("https://example.org/cut…", { $type: "app.bsky.richtext.facet#link", uri }),
      facet("@bob.com", { $type: "app.bsky.richtext.facet#mention", did: other }),
      facet("#ab", { $type: "app.bsky.richtext.facet#tag", tag: "another" }),
    ];
    expect(recordPost({ text, facets })).toMatchObject({
      urls: [uri],
      mentions: [{ username: "bob.com", userId: other }],
      hashtags: ["another"],
    });
  });

  test("a Bluesky post has at most 100 hashtags, mentions and links each, and 4 pictures", () => {
    const features = Array.from({ length: 300 }, (_unused, index) => [
      { $type: "app.bsky.richtext.facet#mention", did: other },
      { $type: "app.bsky.richtext.facet#link", uri: `https://example.org/${index}` },
      { $type: "app.bsky.richtext.facet#tag", tag: `tag${index}` },
    ]).flat();
    const facets = Array.from({ length: 100 }, (_unused, index) => ({
      index: { byteStart: 0, byteEnd: 1 },
      features: features.slice(index * 9),
    }));
    const alt = "x".repeat(20_000);
    const images = Array.from({ length: 50 }, () => ({ alt }));
    const external = { $type: "app.bsky.embed.external", external: { uri: "https://example.com" } };
    const post = recordPost({
      text: "a",
      facets,
      embed: { $type: "app.bsky.embed.images", images },
    });
    expect(post.mentions).toHaveLength(100);
    expect(post.urls).toHaveLength(99);
    expect(post.hashtags).toHaveLength(100);
    expect(post.media.map((medium) => medium.alt?.length)).toEqual([5_000, 5_000, 5_000, 5_000]);
    expect(recordPost({ text: "a", facets, embed: external }).urls).toContain(
      "https://example.com",
    );
    const words = Array.from(
      { length: 900 },
      (_unused, index) => `@a${index} #b${index} c${index}.com`,
    );
    const plain = recordPost({ text: words.join(" ") });
    expect([plain.mentions.length, plain.urls.length, plain.hashtags.length]).toEqual([
      100, 99, 100,
    ]);
  });

  test("a Bluesky post has its parent and the root of the conversation", () => {
    const root = `at://${did}/app.bsky.feed.post/3mpsjbtci2c22`;
    const post = recordPost({
      text: "yes",
      reply: { root: { uri: root }, parent: { uri: postUri } },
    });
    expect(post).toMatchObject({ isReply: true, conversationId: root });
    expect(post.inReplyTo).toEqual({ id: null, uri: postUri, username: null, userId: other });
  });

  test("the embeds of a Bluesky post are read", () => {
    const images = {
      $type: "app.bsky.embed.images",
      images: [{ alt: "a cat", image: { ref: { $link: cid } } }],
    };
    const quote = { $type: "app.bsky.embed.record", record: { uri: postUri } };
    expect(recordPost({ text: "", embed: images }).media).toEqual([
      {
        type: "image",
        url: `https://cdn.bsky.app/img/feed_fullsize/plain/${did}/${cid}@jpeg`,
        alt: "a cat",
      },
    ]);
    expect(
      recordPost({ text: "", embed: { $type: "app.bsky.embed.video", alt: "a dog" } }).media,
    ).toEqual([{ type: "video", url: null, alt: "a dog" }]);
    const external = { $type: "app.bsky.embed.external", external: { uri: "https://example.org" } };
    expect(recordPost({ text: "", embed: external }).urls).toEqual(["https://example.org"]);
    expect(recordPost({ text: "", embed: quote })).toMatchObject({
      isQuote: true,
      quoted: { uri: postUri },
    });
    const both = recordPost({
      text: "",
      embed: { $type: "app.bsky.embed.recordWithMedia", media: images, record: quote },
    });
    expect(both).toMatchObject({ isQuote: true, quoted: { uri: postUri } });
    expect(both.media).toHaveLength(1);
  });

  test("a gallery of a Bluesky post has up to 20 pictures", () => {
    const items = Array.from({ length: 30 }, (_unused, index) => ({
      $type: "app.bsky.embed.gallery#image",
      alt: `picture ${index}`,
      image: { ref: { $link: cid } },
    }));
    const gallery = { $type: "app.bsky.embed.gallery", items };
    const quote = { $type: "app.bsky.embed.record", record: { uri: postUri } };
    const both = { $type: "app.bsky.embed.recordWithMedia", media: gallery, record: quote };
    for (const embed of [gallery, both]) {
      const { media } = recordPost({ text: "", embed });
      expect(media).toHaveLength(20);
      expect(media[1]).toMatchObject({ type: "image", alt: "picture 1" });
      expect(media[1]?.url).toContain(cid);
    }
  });

  test("a video presented as an animation is read as one, and a link to an animation stays a link", () => {
    const video = { $type: "app.bsky.embed.video", presentation: "gif" };
    expect(recordPost({ text: "", embed: video }).media[0]?.type).toBe("gif");
    const uri = "https://media.tenor.com/abc/cat.gif?hh=1&ww=1";
    const external = { $type: "app.bsky.embed.external", external: { uri } };
    expect(recordPost({ text: "", embed: external })).toMatchObject({ media: [], urls: [uri] });
  });

  test("a Bluesky post is found by every relation, kind and label of its record", () => {
    const root = `at://${did}/app.bsky.feed.post/3mpsjbtci2c22`;
    const terms = indexTerms(
      recordPost({
        text: "look",
        reply: { root: { uri: root }, parent: { uri: root } },
        embed: {
          $type: "app.bsky.embed.recordWithMedia",
          media: { $type: "app.bsky.embed.video" },
          record: { $type: "app.bsky.embed.record", record: { uri: postUri } },
        },
        labels: { values: [{ val: "Spoiler" }] },
      }),
    );
    const uriKey = (uri: string) => postKey("bluesky", { id: null, uri });
    const facets = [
      `conversation:${uriKey(root)}`,
      `reply:${uriKey(root)}`,
      `quoted:${uriKey(postUri)}`,
      `to:bluesky/${did}`,
      `quoted-user:bluesky/${other}`,
    ];
    expect(terms).toEqual(expect.arrayContaining(facets));
    const kinds = ["is:reply", "is:self-reply", "is:quote", "has:media", "has:video"];
    expect(terms).toEqual(expect.arrayContaining([...kinds, "label:spoiler"]));
    expect(indexTerms(recordPost({ text: "first" }))).toContain(
      `conversation:${uriKey(`at://${did}/app.bsky.feed.post/3mptbyoeyc22k`)}`,
    );
  });

  test("an embedded list in a Bluesky post is not a quote", () => {
    const uri = `at://${other}/app.bsky.graph.list/3mpsjbtci2c2o`;
    const post = recordPost({
      text: "",
      embed: { $type: "app.bsky.embed.record", record: { uri } },
    });
    expect(post).toMatchObject({ isQuote: false, quoted: null });
  });

  test.each([
    ["porn", true],
    ["graphic-media", true],
    ["gore", true],
    ["!no-unauthenticated", false],
  ])("the self-label %s makes a Bluesky post sensitive: %s", (val, sensitive) => {
    const labels = { $type: "com.atproto.label.defs#selfLabels", values: [{ val }] };
    expect(recordPost({ text: "", labels })).toMatchObject({ labels: [val], sensitive });
  });

  test("malformed fields of a Bluesky post are dropped, and long texts truncated", () => {
    const post = recordPost({
      text: "x".repeat(30_000),
      createdAt: "soon",
      langs: ["en", 5, "not a tag"],
      facets: [
        null,
        { features: [{ $type: "app.bsky.richtext.facet#link", uri: "javascript:1" }] },
      ],
      tags: ["#a", "", 7],
      reply: { parent: { uri: "at://alice.example/x" } },
      labels: { values: "porn" },
    });
    expect(post.text).toHaveLength(10_000);
    expect(post).toMatchObject({
      createdAt: "soon",
      createdMs: null,
      langs: ["en"],
      urls: [],
      hashtags: ["a"],
      isReply: false,
      labels: [],
    });
  });

  test("any record becomes a post that can be represented in JSON and UTF-8", () => {
    const keys = [
      "text",
      "createdAt",
      "langs",
      "facets",
      "tags",
      "reply",
      "embed",
      "labels",
      "$type",
    ];
    const types = ["images", "external", "video", "record", "recordWithMedia"].map(
      (name) => `app.bsky.embed.${name}`,
    );
    const leaf = fc.oneof(
      fc.constantFrom(...types, postUri, did, "#x", "\ud800"),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const object = fc.dictionary(
      fc.constantFrom(
        ...keys,
        "media",
        "record",
        "uri",
        "features",
        "index",
        "values",
        "val",
        "images",
      ),
      fc.oneof(
        leaf,
        fc.array(leaf, { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys, "record", "uri"), leaf),
      ),
    );
    const record = fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof(leaf, object, fc.array(object, { maxLength: 3 })),
    );
    fc.assert(
      fc.property(record, (value) => {
        const post = recordPost(value);
        expect(JSON.parse(JSON.stringify(post, (_key, item) => item))).toMatchObject({
          uri: post.uri,
        });
        expect(post.text.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
