import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platforms } from "../../posts/post.ts";
import { importFields, requiredFields } from "./fields.ts";
import { RecordError, readImportRecord, toPost } from "./record.ts";

const minimalFields = { author: "alice", created_at: "2015-02-24T19:35:52Z", text: "hello" };
const nowMs = Date.UTC(2026, 6, 5);
const getPost = (fields: object, platform: (typeof platforms)[number] = "x") =>
  toPost(readImportRecord({ ...minimalFields, ...fields }), platform, nowMs);
const getError = (fields: object, platform: (typeof platforms)[number] = "x") => {
  try {
    getPost(fields, platform);
  } catch (error) {
    if (error instanceof RecordError) return error.message;
    throw error;
  }
  throw new Error("the record was accepted");
};

test("the fields of an import record become part of the post", () => {
  const post = getPost({
    id: "570306133677760513",
    url: "https://twitter.com/alice/status/570306133677760513",
    author: "@alice",
    author_id: "12",
    author_name: "Alice A.",
    author_verified: true,
    text: "@bob look #Nice https://t.co/x1 and @carol",
    lang: "en",
    likes: 1,
    reposts: 2,
    replies: 3,
    quotes: 4,
    in_reply_to_id: "570306133677760500",
    in_reply_to: "@bob",
    conversation_id: "570306133677760499",
    is_quote: true,
    quote_of_id: "20",
    hashtags: ["#nice", "other"],
    urls: ["https://example.org/long"],
    media: [{ type: "photo", url: "https://example.org/a.jpg", alt: "a cat" }, { type: "video" }],
    lat: 1.5,
    lon: -2.5,
    sensitive: false,
    source: "Twitter for iPhone",
    labels: ["spoiler"],
  });
  expect(post).toEqual({
    platform: "x",
    uri: "https://x.com/i/status/570306133677760513",
    nativeId: 570306133677760513n,
    url: "https://twitter.com/alice/status/570306133677760513",
    username: "alice",
    userId: "12",
    authorName: "Alice A.",
    authorVerified: true,
    createdAt: "2015-02-24T19:35:52Z",
    createdMs: Date.UTC(2015, 1, 24, 19, 35, 52),
    seenMs: Number(570306133677760513n >> 22n) + 1288834974657,
    text: "@bob look #Nice https://t.co/x1 and @carol",
    langs: ["en"],
    detectedLang: null,
    conversationId: "570306133677760499",
    inReplyTo: {
      id: "570306133677760500",
      uri: "https://x.com/i/status/570306133677760500",
      username: "bob",
      userId: null,
    },
    quoted: { id: "20", uri: "https://x.com/i/status/20", username: null, userId: null },
    reposted: null,
    isReply: true,
    isQuote: true,
    isRepost: false,
    hashtags: ["nice", "other"],
    mentions: [
      { username: "bob", userId: null },
      { username: "carol", userId: null },
    ],
    urls: ["https://example.org/long", "https://t.co/x1"],
    media: [
      { type: "photo", url: "https://example.org/a.jpg", alt: "a cat" },
      { type: "video", url: null, alt: null },
    ],
    geo: { lat: 1.5, lon: -2.5 },
    labels: ["spoiler"],
    sensitive: false,
    source: "Twitter for iPhone",
    counts: { likes: 1, reposts: 2, replies: 3, quotes: 4 },
    origin: "import",
    revision: "",
  });
});

describe("absent fields", () => {
  test("a field that is null or an empty string counts as absent", () => {
    const names = Object.keys(importFields).filter((name) => !(name in minimalFields));
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    const empties = Object.fromEntries(names.map((name) => [name, ""]));
    expect(getPost(nulls)).toEqual(getPost({}));
    expect(getPost(empties)).toEqual(getPost({}));
    expect(getPost({}).counts).toEqual({ likes: null, reposts: null, replies: null, quotes: null });
  });

  test.each(requiredFields)("the field %s of an import record is required", (name) => {
    expect(getError({ [name]: null })).toBe(
      `${name}: expected ${importFields[name].expected}, found none`,
    );
  });

  test("the text of an import record can be empty, but the author cannot", () => {
    expect(getPost({ text: "" }).text).toBe("");
    expect(getError({ author: "" })).toMatch(/^author: /);
    expect(getError({ author: "@" })).toMatch(/^author: /);
  });

  test("unknown fields of an import record are reported by name", () => {
    const names: string[] = [];
    readImportRecord({ ...minimalFields, region: "x", followers: 3 }, (name) => names.push(name));
    expect(names).toEqual(["region", "followers"]);
  });
});

describe("an invalid value is rejected with field, value and expectation", () => {
  test.each([
    [{ likes: "12" }, 'likes: expected a whole number of 0 or more, found "12"'],
    [{ likes: -1 }, "likes: expected a whole number of 0 or more, found -1"],
    [{ reposts: 1.5 }, "reposts: expected a whole number of 0 or more, found 1.5"],
    [{ quotes: 1e300 }, "quotes: expected a whole number of 0 or more, found 1e+300"],
    [
      { id: 570306133677760500 },
      "id: expected a decimal string, found 570306133677760500 (a JSON number loses digits: put it in quotes)",
    ],
    [{ id: "12a" }, 'id: expected a decimal string, found "12a"'],
    [
      { id: "9223372036854775808" },
      'id: expected a post ID from 1 to 2^63 - 1, found "9223372036854775808"',
    ],
    [{ is_repost: "true" }, 'is_repost: expected true or false, found "true"'],
    [{ lat: 91, lon: 0 }, "lat: expected a number from -90 to 90, found 91"],
    [{ lat: 1 }, "lon: required with lat, found none"],
    [
      { lang: "English (US)" },
      'lang: expected a language tag, such as en or pt-BR, found "English (US)"',
    ],
    [
      { url: "javascript:alert(1)" },
      'url: expected an http or https URL of up to 8192 characters, found "javascript:alert(1)"',
    ],
    [
      { media: [{ url: "https://example.org" }] },
      "media: expected a list of up to 200 objects {type, url, alt}, found a list of 1",
    ],
    [
      { created_at: "yesterday" },
      'created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found "yesterday"',
    ],
    [
      { created_at: 1424806552 },
      "created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found 1424806552",
    ],
    [
      { in_reply_to_id: "abc" },
      'in_reply_to_id: expected the ID of an X post as a decimal string, found "abc"',
    ],
  ])(
    "an invalid value of an import record is rejected with field, value and expectation: %j",
    (fields, message) => {
      expect(getError(fields)).toBe(message);
    },
  );

  test.each([
    { text: "x".repeat(100_001) },
    { hashtags: Array(201).fill("a") },
    { author: "a".repeat(1_001) },
    { urls: [`https://example.org/${"a".repeat(9_000)}`] },
  ])("a value beyond its bound is rejected with what was expected and found", (fields) => {
    expect(getError(fields)).toMatch(/expected .* found/);
  });

  test.each([["[]"], ["1"], ["null"], ['"text"']])(
    "an import record that is %s is rejected",
    (json) => {
      expect(() => readImportRecord(JSON.parse(json))).toThrow(RecordError);
    },
  );

  test("an import record with random values becomes a post of well-formed text or is rejected", () => {
    const names = fc.constantFrom(...Object.keys(importFields), "__proto__", "constructor");
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("12", "at://did:plc:a/a.b.c/d", "en", "\ud800"),
    );
    fc.assert(
      fc.property(
        fc.dictionary(names, value),
        fc.constantFrom(...platforms),
        (fields, platform) => {
          try {
            const post = getPost(fields, platform);
            expect(post.text.isWellFormed()).toBe(true);
            expect(post.uri).not.toBe("");
          } catch (error) {
            expect(error).toBeInstanceOf(RecordError);
          }
        },
      ),
    );
  });
});

test("a reason for a rejection cannot move the terminal's cursor, regardless of the value", () => {
  expect(getError({ id: "\u001b[2J\u009b31m\u202e" })).toBe(
    'id: expected a decimal string, found "\\u001b[2J31m"',
  );
});

test("links with & written as &amp; are found in the text of an import record", () => {
  expect(getPost({ text: "see https://ex.com/a?b=1&amp;c=2 now" }).urls).toEqual([
    "https://ex.com/a?b=1&c=2",
  ]);
});

test.each([
  "0001-01-01T00:00:00Z",
  "1970-01-01",
  "2009-05-01T00:00:00+09:00",
  "2999-01-01T00:00:00Z",
])("an import record accepts the time %s", (createdAt) => {
  const post = getPost({ created_at: createdAt });
  expect(post.createdAt).toBe(createdAt);
  expect(post.createdMs).not.toBeNull();
});

describe("identity", () => {
  test.each([
    ["9223372036854775807", "2080-07-10T17:30:30.208Z"],
    ["9000000000000000000", "2078-11-02"],
  ])("the X post number %s is rejected because its time is in the future", (id, time) => {
    expect(getError({ id })).toMatch(
      /^id: expected a post ID whose time is not in the future, found "/,
    );
    expect(getError({ id })).toContain(`${id}, of ${time}`);
    expect(getError({ url: `https://x.com/a/status/${id}` })).toContain(id);
  });

  test("the time of an X post number may be a day ahead because of clock skew", () => {
    const getId = (ms: number) => String(BigInt(ms - 1288834974657) << 22n);
    expect(getPost({ id: getId(nowMs + 86_400_000) }).nativeId).not.toBeNull();
    expect(getError({ id: getId(nowMs + 86_400_001) })).toMatch(/^id: /);
  });

  test("the identity of a record on X is its number, regardless of its uri", () => {
    const forged = getPost({ id: "20", uri: "https://x.com/i/status/99" });
    expect(forged.uri).toBe("https://x.com/i/status/20");
    expect(forged).toMatchObject({ nativeId: 20n, seenMs: null });
  });

  test.each([
    "https://twitter.com/alice/status/99?s=20",
    "https://x.com/i/web/status/99",
    "HTTPS://X.COM/i/status/99",
  ])("the identity of a record on X is the number in %s", (address) => {
    expect(getPost({ uri: address }).nativeId).toBe(99n);
    expect(getPost({ url: address }).nativeId).toBe(99n);
  });

  test("a record on X with a uri that is not an address is rejected", () => {
    expect(getError({ uri: "import:x:1" })).toMatch(/^uri: expected an http or https URL/);
  });

  test("the identity of a record without uri and id is the hash of author, time and text", () => {
    const content = JSON.stringify(["alice", "2015-02-24T19:35:52Z", "hello"]);
    const hash = createHash("sha256").update(content).digest("hex");
    for (const platform of platforms) {
      expect(getPost({}, platform)).toMatchObject({
        uri: `import:${platform}:${hash}`,
        nativeId: null,
      });
    }
    expect(getPost({ text: "hello " }).uri).not.toBe(getPost({}).uri);
  });

  test("the identity of a record on Bluesky is its uri, with the time of the uri's key", () => {
    const uri = "at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k";
    const post = getPost({ uri, author: "alice.bsky.social" }, "bluesky");
    expect(post).toMatchObject({ uri, userId: "did:plc:abc", username: "alice.bsky.social" });
    expect(new Date(post.seenMs ?? 0).getUTCFullYear()).toBe(2026);
    expect(getPost({ uri, author_id: "did:plc:abc" }, "bluesky").userId).toBe("did:plc:abc");
  });

  test.each([
    [
      { uri: "at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k", author_id: "did:plc:other" },
      /^uri: expected a uri of the author/,
    ],
    [{ uri: "at://alice.example/app.bsky.feed.post/3mptbyoeyc22k" }, /^uri: expected at:/],
    [{ uri: "https://bsky.app/x" }, /^uri: expected at:/],
    [{ author_id: "alice" }, /^author_id: expected a DID/],
    [{ quote_of_id: "at://nobody" }, /^quote_of_id: expected a post's uri/],
  ])("a record on Bluesky with %j is rejected", (fields, message) => {
    expect(getError(fields, "bluesky")).toMatch(message);
  });

  test("the identity of a record on Mastodon is its uri, otherwise its page, otherwise its number on the author's server", () => {
    const author = "alice@One.example";
    const uri = "https://one.example/users/alice/statuses/1";
    expect(getPost({ author, uri, id: "1" }, "mastodon").uri).toBe(uri);
    expect(getPost({ author, url: uri }, "mastodon").uri).toBe(uri);
    expect(getPost({ author, id: "1" }, "mastodon").uri).toBe("import:mastodon:1@one.example");
    expect(getError({ uri: "tag:x" }, "mastodon")).toMatch(/^uri: /);
  });

  test("an account's number on Mastodon is qualified with its server", () => {
    const uri = "https://two.example/users/alice/statuses/1";
    const userId = (fields: object) => getPost({ author_id: "7", ...fields }, "mastodon").userId;
    expect(userId({ author: "alice@One.example", uri })).toBe("7@one.example");
    expect(userId({ author: "alice", uri })).toBe("7@two.example");
    expect(userId({ author: "alice", url: uri })).toBe("7@two.example");
    expect(userId({ author: "alice", id: "1" })).toBe("7");
    const account = "https://one.example/users/alice";
    expect(userId({ author: "alice", uri, author_id: account })).toBe(account);
  });

  test.each([
    ["mastodon", { uri: "https://one.example/1" }, ["id"]],
    ["mastodon", { url: "https://one.example/1" }, ["id"]],
    ["mastodon", {}, []],
    ["bluesky", { uri: "at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k" }, ["id"]],
    ["bluesky", {}, []],
    ["x", { uri: "https://x.com/i/status/20" }, []],
  ] as const)(
    "the id of a record on %s is reported as unused if %j makes it redundant",
    (platform, fields, expected) => {
      const unused: string[] = [];
      const record = readImportRecord({ ...minimalFields, id: "12", ...fields });
      toPost(record, platform, nowMs, (name) => unused.push(name));
      expect(unused).toEqual(expected);
    },
  );
});

describe("a reference to another post", () => {
  const references = {
    in_reply_to_id: "7",
    quote_of_id: "8",
    repost_of_id: "9",
    conversation_id: "6",
  };

  test("a reference by number on X has the uri derived from the number", () => {
    expect(getPost(references)).toMatchObject({
      inReplyTo: { id: "7", uri: "https://x.com/i/status/7" },
      quoted: { id: "8", uri: "https://x.com/i/status/8" },
      reposted: { id: "9", uri: "https://x.com/i/status/9" },
      conversationId: "6",
    });
  });

  test("a reference by number on another platform has the uri of a post known only by this number", () => {
    const known = getPost({ id: "7" }, "bluesky");
    expect(getPost(references, "bluesky")).toMatchObject({
      inReplyTo: { id: "7", uri: known.uri },
      conversationId: "import:bluesky:6",
    });
    const remote = { author: "alice@One.example" };
    expect(getPost({ ...references, ...remote }, "mastodon")).toMatchObject({
      inReplyTo: { id: "7", uri: getPost({ id: "7", ...remote }, "mastodon").uri },
      conversationId: "import:mastodon:6@one.example",
    });
    expect(getPost(references, "mastodon").quoted?.uri).toBe(getPost({ id: "8" }, "mastodon").uri);
  });

  test("a reference by uri keeps the uri, and a reference by another name gets a derived one", () => {
    const uri = "at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k";
    const conversation = { in_reply_to_id: uri, conversation_id: uri };
    expect(getPost(conversation, "bluesky")).toMatchObject({
      inReplyTo: { id: null, uri, userId: "did:plc:abc" },
      conversationId: uri,
    });
    const page = "https://one.example/users/bob/statuses/7";
    expect(getPost({ in_reply_to_id: page }, "mastodon").inReplyTo).toMatchObject({ uri: page });
    const address = "https://bsky.app/profile/did:plc:abc/post/3mptbyoeyc22k";
    expect(getPost({ quote_of_id: address }, "bluesky").quoted).toMatchObject({ uri });
    expect(getPost({ quote_of_id: "tag:one.example,2026:7" }, "mastodon").quoted).toMatchObject({
      id: null,
      uri: "tag:one.example,2026:7",
    });
    expect(getPost({ quote_of_id: "3kabc" }, "bluesky").quoted).toMatchObject({
      id: "3kabc",
      uri: "import:bluesky:3kabc",
    });
  });
});

describe("replies and reposts", () => {
  test("a text on X that begins with a mention is a reply to that account unless the record names another", () => {
    expect(getPost({ text: "@bob hi" })).toMatchObject({
      isReply: true,
      inReplyTo: { username: "bob" },
    });
    expect(getPost({ text: "@bob hi", in_reply_to: "carol" }).inReplyTo?.username).toBe("carol");
    expect(getPost({ text: "hi @bob" })).toMatchObject({ isReply: false, inReplyTo: null });
    expect(getPost({ text: "@bob hi" }, "bluesky").isReply).toBe(false);
  });

  test("a post is a repost only if the record declares it", () => {
    expect(getPost({ repost_of_id: "20" })).toMatchObject({
      isRepost: true,
      reposted: { id: "20" },
    });
    expect(getPost({ is_repost: true, text: "@bob hi" })).toMatchObject({
      isRepost: true,
      isReply: false,
    });
    expect(getPost({ text: "RT @bob: hi" }).isRepost).toBe(false);
  });

  test("handles in a record may contain dots and servers", () => {
    expect(getPost({ text: "hi @bob.bsky.social" }, "bluesky").mentions).toEqual([
      { username: "bob.bsky.social", userId: null },
    ]);
    expect(getPost({ text: "hi @bob@one.social" }, "mastodon").mentions).toEqual([
      { username: "bob@one.social", userId: null },
    ]);
  });
});

test("docs/import.md shows every field with its permitted values", () => {
  const page = readFileSync(new URL("../../../docs/import.md", import.meta.url), "utf8");
  const rows = page.matchAll(/^\| `([a-z_]+)` \| ([^|]+) \| [^|]+ \|$/gm);
  const documented = Object.fromEntries([...rows].map(([, name, value]) => [name, value?.trim()]));
  const expectedValues = Object.entries(importFields).map(([name, { expected }]) => [
    name,
    expected,
  ]);
  expect(documented).toEqual(Object.fromEntries(expectedValues));
  const example = /```json\n(.+)\n```/.exec(page)?.[1] ?? "";
  expect(getPost(JSON.parse(example)).nativeId).toBe(570306133677760513n);
});
