import { describe, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import type { Post, PostReference } from "./post.ts";
import { postKey } from "./references.ts";
import { countThresholds, indexTerms } from "./terms.ts";

const getTerms = (overrides: Partial<Post>): string[] => indexTerms(makePost(overrides));

const facetValues = (start: string, overrides: Partial<Post>): string[] =>
  getTerms(overrides)
    .filter((term) => term.startsWith(start))
    .map((term) => term.slice(start.length));

const has = (facet: string, overrides: Partial<Post>): boolean =>
  getTerms(overrides).includes(facet);

const makeReference = (overrides: Partial<PostReference>): PostReference => ({
  id: null,
  uri: null,
  username: null,
  userId: null,
  ...overrides,
});
const onX = { platform: "x", userId: null, username: "ann" } as const;

test("every post has the term is:post, after its words", () => {
  expect(getTerms({ text: "" })).toContain("is:post");
  const terms = getTerms({ text: "last words", urls: ["https://example.com"] });
  expect(terms.slice(0, 3)).toEqual(["last", "words", "|"]);
  expect(terms.lastIndexOf("|")).toBeLessThan(terms.indexOf("is:post"));
});

describe("accounts", () => {
  test("an author is indexed by account id, or else by handle", () => {
    const ann = { userId: "did:plc:ANN", username: "ann.example" };
    expect(facetValues("from:", ann)).toEqual(["bluesky/did:plc:ann"]);
    expect(facetValues("from:", { userId: null, username: "@Ann.Example" })).toEqual([
      "bluesky/@ann.example",
      "bluesky/?ann.example",
    ]);
    expect(facetValues("from:", { userId: null, username: "" })).toEqual([]);
  });

  test.each([
    ["to:", "inReplyTo"],
    ["quoted-user:", "quoted"],
    ["reposted-user:", "reposted"],
  ] as const)("the account of %s is indexed by id and by handle in lower case", (facet, field) => {
    const reference = makeReference({ userId: "did:plc:b", username: "Bob.example" });
    expect(facetValues(facet, { [field]: reference })).toEqual([
      "bluesky/did:plc:b",
      "bluesky/@bob.example",
    ]);
    expect(facetValues(facet, { [field]: makeReference({ username: "Bob" }) })).toEqual([
      "bluesky/@bob",
      "bluesky/?bob",
    ]);
    expect(facetValues(facet, { [field]: makeReference({ userId: "did:plc:b" }) })).toEqual([
      "bluesky/did:plc:b",
    ]);
    expect(facetValues(facet, { [field]: makeReference({}) })).toEqual([]);
  });

  test("a mention is indexed by id and by handle in lower case, once each", () => {
    const mentions = [
      { username: "Bob", userId: "did:plc:b" },
      { username: "bob", userId: null },
    ];
    expect(facetValues("@", { mentions })).toEqual([
      "bluesky/did:plc:b",
      "bluesky/@bob",
      "bluesky/?bob",
    ]);
    expect(has("has:mention", { mentions })).toBe(true);
    expect(has("has:mention", {})).toBe(false);
  });
});

describe("replies, quotes and reposts", () => {
  const reply = { isReply: true } as const;
  const ids = (author: string | null, other: string | null) => ({
    userId: author,
    username: "",
    inReplyTo: makeReference({ userId: other }),
  });
  const handles = (author: string, other: string | null) => ({
    userId: null,
    username: author,
    inReplyTo: makeReference({ username: other }),
  });

  test.each<[string, Partial<Post>, boolean]>([
    ["by the same id", ids("did:plc:a", "did:plc:A"), true],
    ["by another id", ids("did:plc:a", "did:plc:b"), false],
    ["by the same handle", handles("Ann", "ann"), true],
    ["by another handle", handles("ann", "bob"), false],
    [
      "by different ids with the same handle",
      {
        userId: "did:plc:a",
        username: "ann",
        inReplyTo: makeReference({ userId: "b", username: "ann" }),
      },
      false,
    ],
    [
      "by one id with different handles",
      { userId: "a", username: "new", inReplyTo: makeReference({ userId: "a", username: "old" }) },
      true,
    ],
    [
      "by an id on one side and the same handle on both",
      { userId: "a", username: "ann", inReplyTo: makeReference({ username: "Ann" }) },
      true,
    ],
    ["by an id on one side and a handle on the other", ids("ann", null), false],
    ["to an unknown account", handles("ann", null), false],
    ["without an author", handles("", ""), false],
    ["to an unknown post", { inReplyTo: null }, false],
  ])("a reply %s is a self-reply: %s", (_name, overrides, isSelf) => {
    expect(has("is:reply", { ...reply, ...overrides })).toBe(true);
    expect(has("is:self-reply", { ...reply, ...overrides })).toBe(isSelf);
    expect(has("is:self-reply", overrides)).toBe(false);
  });

  test("a repost of a reply is a repost and not a reply", () => {
    const repost = { ...handles("ann", "ann"), isReply: true, isRepost: true };
    expect(has("is:reply", repost)).toBe(false);
    expect(has("is:self-reply", repost)).toBe(false);
    expect(has("is:retweet", repost)).toBe(true);
    expect(has("is:native-retweet", repost)).toBe(true);
  });

  test.each([
    ["RT @bob: hi", true],
    ["RT@bob hi", true],
    ["RT ＠bob hi", true],
    ['"RT @bob: hi"', true],
    ["“RT @bob: hi”", true],
    ["&quot;RT @bob: hi&quot;", true],
    ["rt @bob hi", true],
    ["Rt @bob hi", true],
    ["art @bob", false],
    ["hear hear RT @bob: hi", false],
    ["RT if you agree", false],
    ["ARTS @bob", false],
  ])("the text %j is an old-style repost: %s, and not a native one", (text, isRepost) => {
    expect(has("is:retweet", { text })).toBe(isRepost);
    expect(has("is:native-retweet", { text })).toBe(false);
  });

  test("a post is a quote only if its source marks it as one", () => {
    expect(has("is:quote", { isQuote: true })).toBe(true);
    expect(has("is:quote", { quoted: makeReference({ id: "1" }) })).toBe(false);
  });

  test.each([
    ["reply:", "inReplyTo"],
    ["quoted:", "quoted"],
    ["reposted:", "reposted"],
  ] as const)("the facet %s has the key of the other post, if known", (facet, field) => {
    const uri = "at://did:plc:b/app.bsky.feed.post/3k";
    expect(facetValues(facet, { [field]: makeReference({ uri }) })).toEqual([
      postKey("bluesky", { id: null, uri }),
    ]);
    expect(facetValues(facet, { ...onX, [field]: makeReference({ id: "20" }) })).toEqual(["x/20"]);
    expect(facetValues(facet, { [field]: makeReference({ username: "bob" }) })).toEqual([]);
    expect(facetValues(facet, {})).toEqual([]);
  });
});

describe("conversation", () => {
  const getKey = (platform: Post["platform"], uri: string) => postKey(platform, { id: null, uri });
  const root = "at://did:plc:b/app.bsky.feed.post/3k";
  const toot = "https://one.example/users/ann/statuses/7";

  test.each<[string, Partial<Post>, (string | null)[]]>([
    ["X by its number", { ...onX, nativeId: 20n }, ["x/20"]],
    ["X without a number by its uri", { ...onX, uri: "import:x:a" }, [getKey("x", "import:x:a")]],
    ["Bluesky", { uri: root }, [getKey("bluesky", root)]],
    ["Mastodon", { platform: "mastodon", uri: toot }, [getKey("mastodon", toot)]],
    [
      "Mastodon by a number",
      { platform: "mastodon", uri: "import:mastodon:7@one.example" },
      [
        getKey("mastodon", "import:mastodon:7@one.example"),
        postKey("mastodon", { id: "7", uri: null }),
      ],
    ],
  ])(
    "a root post is in its own conversation, and a reply in the one that it names: %s",
    (_name, overrides, keys) => {
      expect(facetValues("conversation:", overrides)).toEqual(keys);
      const ownConversation = { conversationId: "unlike", isReply: true };
      expect(facetValues("conversation:", { ...overrides, ...ownConversation })).toEqual([
        postKey(overrides.platform ?? "bluesky", { id: "unlike", uri: null }),
      ]);
    },
  );

  test("the conversation of a root includes posts that name it", () => {
    const reply = { isReply: true };
    const conversations = (overrides: Partial<Post>) => facetValues("conversation:", overrides);
    expect(conversations({ ...onX, ...reply, conversationId: "20" })).toEqual(["x/20"]);
    expect(conversations({ ...reply, conversationId: root })).toEqual([getKey("bluesky", root)]);
    expect(conversations({ platform: "mastodon", ...reply, conversationId: toot })).toEqual([
      getKey("mastodon", toot),
    ]);
  });

  test("a reply or a repost without a conversation has no conversation facet", () => {
    expect(facetValues("conversation:", { isReply: true })).toEqual([]);
    expect(facetValues("conversation:", { isRepost: true })).toEqual([]);
    expect(facetValues("conversation:", { isQuote: true })).toHaveLength(1);
  });
});

describe("content of a post", () => {
  test.each([
    ["image", ["image"]],
    ["IMAGE/JPEG", ["image"]],
    ["photo", ["image"]],
    ["Picture", ["image"]],
    ["image/gif", ["video"]],
    ["gif", ["video"]],
    ["gifv", ["video"]],
    ["animated_gif", ["video"]],
    ["video", ["video"]],
    ["video/mp4", ["video"]],
    ["audio", []],
    ["images", []],
    ["unknown", []],
  ])("media of the type %s have the facets %j", (type, expected) => {
    const media = [{ type, url: null, alt: null }];
    expect(facetValues("has:", { media }).filter((name) => name !== "media")).toEqual(expected);
    expect(has("has:media", { media })).toBe(true);
  });

  test("a post without media, links, hashtags, cashtags, emoticons or location has no facets for them", () => {
    expect(facetValues("has:", {})).toEqual([]);
    expect(facetValues("is:", {})).toEqual(["post"]);
  });

  test("a post has facets for all domains of its links, its hashtags and its location", () => {
    const urls = ["https://News.BBC.co.uk:8080/a", "http://bbc.co.uk/b", "https://localhost/c"];
    expect(facetValues("domain:", { urls })).toEqual([
      "news.bbc.co.uk",
      "bbc.co.uk",
      "co.uk",
      "localhost",
    ]);
    expect(has("has:link", { urls })).toBe(true);
    expect(
      facetValues("domain:", { urls: ["https://xn--bcher-kva.example/", "https://x.y:8080"] }),
    ).toEqual(["bücher.example", "x.y"]);
    expect(facetValues("#", { hashtags: ["NASA", "nasa", "Été"] })).toEqual(["nasa", "été"]);
    expect(has("has:hashtag", { hashtags: ["nasa"] })).toBe(true);
    expect(has("has:geo", { geo: { lat: 0, lon: 0 } })).toBe(true);
    expect(facetValues("geo:", { geo: { lat: 0, lon: 0 } })).toHaveLength(1);
  });

  test.each([
    ["$TWTR and $fb, $BRK.A", ["twtr", "fb", "brk.a"]],
    ["Q&amp;A: $AAPL&lt;3 $T&amp;more", ["aapl", "t"]],
    ["&#36;TWTR a$TWTR $100 $TOOLONGNAME", []],
  ])("the cashtags of %j are %j", (text, expected) => {
    expect(facetValues("$", { text })).toEqual(expected);
    expect(has("has:cashtag", { text })).toBe(expected.length > 0);
  });

  test.each([
    ["well :) done", [":)"]],
    [":-D =P ;) :')", [":D", ":P", ";)", ":)"]],
    ["so :&#39;( sad", [":("]],
    ["&lt;3 a:) http://x.example/:)", []],
  ])("the emoticons of %j are %j", (text, expected) => {
    expect(facetValues("face:", { text })).toEqual(expected.map((face) => face.toLowerCase()));
  });

  test.each([
    ["really?", true],
    ["本当に？", true],
    ["see https://example.com/a?b=c", false],
    ["see https://example.com/a?b=c&amp;d=?e", false],
    ["is it https://example.com/a ?", true],
    ["no", false],
  ])("the text %j asks a question: %s", (text, isQuestion) => {
    expect(has("is:question", { text })).toBe(isQuestion);
  });
});

describe("data about a post", () => {
  test("labels of a post are case-insensitive, and some mark it as sensitive", () => {
    expect(facetValues("label:", { labels: ["Spoiler", "!no-promote"] })).toEqual([
      "spoiler",
      "!no-promote",
    ]);
    expect(has("is:sensitive", { labels: ["Spoiler"] })).toBe(false);
    for (const label of ["porn", "Sexual", "NUDITY", "graphic-media", "gore", "nsfl"]) {
      expect(has("is:sensitive", { labels: [label], sensitive: false }), label).toBe(true);
    }
    expect(has("is:sensitive", { sensitive: true })).toBe(true);
    expect(has("is:sensitive", { sensitive: null })).toBe(false);
  });

  test.each(["Twitter for iOS", "twitter_for-ios", " Twitter  for\tiOS ", "Ｔwitter for iOS"])(
    "the app %j has the same facet as other spellings of it",
    (source) => {
      expect(facetValues("source:", { source })).toEqual(["twitter_for_ios"]);
    },
  );

  test("a post with an unreported app has no app facet", () => {
    expect(facetValues("source:", { source: null })).toEqual([]);
  });

  test("an author is indexed as verified only if the platform reports it", () => {
    expect(has("is:verified", { authorVerified: true })).toBe(true);
    expect(has("is:verified", { authorVerified: false })).toBe(false);
    expect(has("is:verified", { authorVerified: null })).toBe(false);
  });

  test.each<[Partial<Post>, string[]]>([
    [{ langs: ["pt-BR", "en"] }, ["pt-br", "pt", "en"]],
    [{ langs: ["iw"] }, ["he"]],
    [{ langs: [], detectedLang: "de" }, ["de"]],
    [{ langs: ["en"], detectedLang: "de" }, ["en"]],
    [{ langs: [], detectedLang: null }, ["und"]],
    [{ langs: [""] }, ["und"]],
  ])("the languages of %j are %j", (overrides, expected) => {
    expect(facetValues("lang:", overrides)).toEqual(expected);
  });

  test("counts of a post have a facet for each threshold they reach", () => {
    const counts = { likes: 999, reposts: 0, replies: null, quotes: 10 ** 12 };
    expect(facetValues("likes>=", { counts })).toEqual(["1", "10", "100"]);
    expect(facetValues("reposts>=", { counts })).toEqual([]);
    expect(facetValues("replies>=", { counts })).toEqual([]);
    expect(facetValues("quotes>=", { counts })).toEqual(countThresholds.map(String));
  });
});

test("the facets of a post contain no separators, and each facet occurs once", () => {
  const oddText = "a\u0000b\u00a0c\u3000d\ud800e\ufffdf\u2028g\nh";
  const terms = getTerms({
    text: oddText,
    username: oddText,
    userId: oddText,
    labels: [oddText, oddText],
    source: oddText,
    hashtags: [oddText],
    urls: [`https://${oddText}.example/${oddText}`],
    langs: ["en", "en"],
    mentions: [{ username: oddText, userId: oddText }],
    conversationId: oddText,
  });
  for (const term of terms) expect(term).toMatch(/^[^\s\p{Cc}\p{Cs}]+$/u);
  const facets = terms.slice(terms.lastIndexOf("|") + 1);
  expect(new Set(facets).size).toBe(facets.length);
});

describe("additional words", () => {
  test("an emoji in an alt text is indexed with and without its skin tone", () => {
    const terms = getTerms({ text: "x", media: [{ type: "image", url: null, alt: "👍🏽" }] });
    expect(terms).toContain("👍🏽");
    expect(terms).toContain("👍");
  });

  test.each([
    ["東京 京都", "東京都", ["東京", "京都", "都"]],
    ["bar foo", "foo·bar", ["foo", "bar"]],
    ["see #foo", "foo", null],
    ["foo bar", "foo·bar", null],
  ])(
    "the text %s with the hashtag %s gets the hashtag's words only if it does not contain them in this order",
    (text, tag, words) => {
      const terms = getTerms({ text, hashtags: [tag] });
      const index = terms.indexOf("|");
      const addedTerms = terms.slice(index + 1, terms.indexOf("|", index + 1));
      expect(terms.indexOf("|", index + 1) === -1 ? null : addedTerms).toEqual(words);
    },
  );
});
