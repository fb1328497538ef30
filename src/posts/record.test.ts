import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generatedPost } from "../../testkit/data/generated.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { postTimeMs } from "./ids.ts";
import type { Post } from "./post.ts";
import {
  decodeRecord,
  encodeRecord,
  isSameRecord,
  type RecordRow,
  recordOrigin,
  recordUri,
  renderRecord,
  withAddedLabels,
} from "./record.ts";
import { unpackLines } from "./record-lines.ts";
import { indexTerms } from "./terms.ts";

function postRow(post: Post, id = post.nativeId ?? 7n): RecordRow {
  const timeMs = postTimeMs(post, Date.UTC(2030, 0, 1));
  return {
    id,
    platform: post.platform,
    timeMs,
    counts: post.counts,
    record: encodeRecord(post, timeMs),
  };
}

function inFirstForm(row: RecordRow): RecordRow {
  const lines = unpackLines(row.record);
  while (lines.at(-1) === "") lines.pop();
  return { ...row, record: lines.join("\n") };
}

const noAuthor = () => ({ handle: null, name: null });

const renderPost = (post: Post, handle: string | null = null) =>
  JSON.parse(renderRecord(postRow(post), () => ({ handle, name: null })));

const fullPost = makePost({
  platform: "x",
  nativeId: 1157939227653046272n,
  url: "https://x.com/ann/status/1157939227653046272",
  username: "ann",
  userId: "42",
  authorName: 'Ann "A" Other\n',
  authorVerified: true,
  createdMs: Date.UTC(2026, 0, 1, 12, 30, 5),
  text: 'line one\nline "two" \\ three\u2028',
  langs: ["en", "de"],
  conversationId: "99",
  inReplyTo: { id: "99", uri: "https://x.com/i/status/99", username: "bob", userId: null },
  quoted: { id: "98", uri: null, username: null, userId: null },
  reposted: null,
  isReply: true,
  isQuote: true,
  hashtags: ["news"],
  mentions: [
    { username: "bob", userId: "43" },
    { username: "carol", userId: null },
  ],
  urls: ["https://example.com/"],
  media: [{ type: "image", url: "https://example.com/a.png", alt: "a cat" }],
  geo: { lat: 1.5, lon: -2 },
  labels: ["nudity"],
  sensitive: true,
  source: 'The "app"',
  counts: { likes: 5, reposts: 0, replies: null, quotes: 2 },
});

describe("API record", () => {
  test("an API record has the four fields of the contract, and all data in Metadata", () => {
    expect(renderPost(fullPost)).toEqual({
      ID: "1157939227653046272",
      Content: fullPost.text,
      Metadata: {
        platform: "x",
        url: "https://x.com/ann/status/1157939227653046272",
        uri: "https://x.com/i/status/1157939227653046272",
        created_at: "2026-01-01T12:30:05Z",
        username: "ann",
        author: 'Ann "A" Other\n',
        author_verified: true,
        user_id: "42",
        lang: "en",
        langs: ["en", "de"],
        lang_detected: false,
        conversation_id: "99",
        in_reply_to: { id: "99", uri: "https://x.com/i/status/99", username: "bob", user_id: null },
        quoted: { id: "98", uri: null, username: null, user_id: null },
        reposted: null,
        is_reply: true,
        is_quote: true,
        is_retweet: false,
        hashtags: ["news"],
        mentions: ["bob", "carol"],
        urls: ["https://example.com/"],
        media: [{ type: "image", url: "https://example.com/a.png", alt: "a cat" }],
        geo: { lat: 1.5, lon: -2 },
        labels: ["nudity"],
        possibly_sensitive: true,
        source: 'The "app"',
        public_metrics: { like_count: 5, retweet_count: 0, reply_count: null, quote_count: 2 },
        origin: "import",
      },
      Score: 1,
    });
  });

  test("an API record has null for values that a source does not report", () => {
    const bareRecord = renderPost(
      makePost({ platform: "mastodon", uri: "tag:example.com,1", userId: null }),
    );
    expect(bareRecord.Metadata).toMatchObject({
      url: null,
      author: null,
      author_verified: null,
      user_id: null,
      lang: null,
      langs: [],
      lang_detected: false,
      in_reply_to: null,
      possibly_sensitive: null,
      source: null,
      public_metrics: { like_count: null },
    });
  });

  test.each([
    [true, false],
    [false, true],
    [null, null],
    [true, null],
    [null, false],
  ])(
    "an API record reports whether the author is verified (%s) and the post sensitive (%s), even for a post from a stream",
    (authorVerified, sensitive) => {
      const post = makePost({ authorVerified, sensitive, origin: "stream" });
      expect(renderPost(post).Metadata).toMatchObject({
        author_verified: authorVerified,
        possibly_sensitive: sensitive,
        origin: "stream",
      });
      expect(decodeRecord(postRow(post))).toMatchObject({ authorVerified, sensitive });
    },
  );

  test("an API record marks a detected language, and omits it if languages are reported", () => {
    const detectedMetadata = renderPost(makePost({ detectedLang: "de" })).Metadata;
    expect(detectedMetadata).toMatchObject({ lang: "de", langs: [], lang_detected: true });
    const metadata = renderPost(makePost({ langs: ["en"], detectedLang: "de" })).Metadata;
    expect(metadata).toMatchObject({ lang: "en", langs: ["en"], lang_detected: false });
  });

  test("an API record links to the post's page if the source reports no url", () => {
    expect(renderPost({ ...fullPost, url: null }).Metadata.url).toBe(
      "https://x.com/i/status/1157939227653046272",
    );
    expect(renderPost(makePost({ key: "3kabc" })).Metadata).toMatchObject({
      uri: "at://did:plc:author/app.bsky.feed.post/3kabc",
      url: "https://bsky.app/profile/did:plc:author/post/3kabc",
    });
    const toot = "https://example.social/@ann/1";
    expect(renderPost(makePost({ platform: "mastodon", uri: toot })).Metadata.url).toBe(toot);
  });

  test("an API record of a post without a handle shows the account's current handle, or else its id", () => {
    const unnamedPost = makePost({ username: "" });
    expect(renderPost(unnamedPost, "now.example").Metadata.username).toBe("now.example");
    expect(renderPost(unnamedPost).Metadata.username).toBe("did:plc:author");
  });

  test("an API record has the claimed time, even if it is later than the observed one", () => {
    const claimedMs = Date.UTC(2029, 0, 1);
    const post = makePost({ createdMs: claimedMs, seenMs: Date.UTC(2026, 0, 1) });
    expect(renderPost(post).Metadata.created_at).toBe("2029-01-01T00:00:00Z");
  });
});

test("a stored record without the lines and flags added later is read with null values", () => {
  const lines = Array.from({ length: 12 }, () => "");
  lines[0] = '"older"';
  lines[1] = '"ann"';
  lines[4] = '"https://example.social/1"';
  lines[11] = "rnS";
  const row = { ...postRow(makePost({ platform: "mastodon" })), record: lines.join("\n") };
  expect(decodeRecord(row)).toMatchObject({
    text: "older",
    isReply: true,
    sensitive: false,
    authorVerified: null,
    source: null,
    detectedLang: null,
    labels: [],
    origin: "stream",
  });
  expect(
    JSON.parse(renderRecord(row, () => ({ handle: null, name: null }))).Metadata,
  ).toMatchObject({
    author_verified: null,
    source: null,
    lang: null,
    lang_detected: false,
  });
});

test("an encoded post is decoded unchanged", () => {
  fc.assert(
    fc.property(generatedPost(3), (post) => {
      const row = postRow(post, post.nativeId ?? 7n);
      const { createdAt: _, seenMs: __, ...decoded } = decodeRecord(row);
      const { createdAt: ___, seenMs: ____, ...original } = post;
      expect(decoded).toEqual(original);
      expect(indexTerms(decodeRecord(row))).toEqual(indexTerms(post));
      expect(recordUri(row)).toBe(post.uri);
      expect(() =>
        JSON.parse(renderRecord(row, () => ({ handle: null, name: null }))),
      ).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

test("a record of the first form is read like a current one, and can be rewritten with labels", () => {
  fc.assert(
    fc.property(generatedPost(3), fc.array(fc.string(), { maxLength: 2 }), (post, labels) => {
      const row = postRow(post);
      const firstFormRow = inFirstForm(row);
      expect(renderRecord(firstFormRow, noAuthor)).toBe(renderRecord(row, noAuthor));
      expect(decodeRecord(firstFormRow)).toEqual(decodeRecord(row));
      expect(recordUri(firstFormRow)).toBe(recordUri(row));
      expect(recordOrigin(firstFormRow.record)).toBe(recordOrigin(row.record));
      expect(isSameRecord(firstFormRow.record, row.record)).toBe(true);
      const otherRow = postRow({ ...post, text: `${post.text}.` });
      expect(isSameRecord(firstFormRow.record, otherRow.record)).toBe(false);
      const labelledRecord = withAddedLabels(firstFormRow.record, labels);
      expect(isSameRecord(labelledRecord, row.record)).toBe(true);
      expect(labelledRecord).toBe(
        labels.length === 0 ? firstFormRow.record : withAddedLabels(row.record, labels),
      );
      expect(withAddedLabels(withAddedLabels(row.record, labels), [])).toBe(row.record);
    }),
    { numRuns: 500 },
  );
});

test("a claimed time is stored to the millisecond, however far it is from the row's time", () => {
  for (const createdMs of [-5, 0, 1, Date.UTC(9999, 0, 1), 2 ** 52 + 1]) {
    const post = makePost({ createdMs });
    for (const timeMs of [0, Date.UTC(2026, 0, 1)]) {
      const row = { ...postRow(post), timeMs, record: encodeRecord(post, timeMs) };
      expect(decodeRecord(row).createdMs).toBe(createdMs);
    }
  }
});

test("any source text is rendered unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, name) => {
      const { Content, Metadata } = renderPost(makePost({ text, authorName: name }));
      expect(Content).toBe(text);
      expect(Metadata.author).toBe(name);
    }),
  );
});
