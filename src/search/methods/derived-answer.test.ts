import { afterEach, expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Method } from "../../platforms/methods.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import type { Target } from "../../platforms/target.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { Post } from "../../posts/post.ts";
import {
  type AnsweringUnderTest,
  endMs,
  makeAnswerRequest,
  noSupport,
  setUpAnswering,
  silentUpstream,
  testSession,
} from "../answer.test-support.ts";
import { answerJob } from "../answer.ts";
import { maxReposts, maxTrendPosts } from "./derived-answer.ts";

let fixture: AnsweringUnderTest;
let readCount: number;
afterEach(() => fixture.archive.remove());

function setUp(posts: readonly Post[], platform?: Upstream): void {
  fixture = setUpAnswering({
    ...(platform === undefined
      ? {}
      : { upstreams: { bluesky: platform }, sessions: { bluesky: [testSession("bluesky")] } }),
  });
  fixture.archive.put(...posts);
  readCount = 0;
  fixture.context.source.archive.records = async (positions) => {
    readCount += positions.length;
    return fixture.archive.reader.operations.records(positions);
  };
}

const author: Target = {
  kind: "user",
  platform: "bluesky",
  handle: "ann.example",
  id: null,
  host: null,
};
const original = "at://did:plc:bob/app.bsky.feed.post/3koriginal";
const originalPost: Target = {
  kind: "post",
  platform: "bluesky",
  uri: original,
  id: null,
  host: null,
  url: null,
  handle: null,
  key: null,
};

let keys = 0;
const postBy = (name: string, overrides: Partial<Post> = {}): Post => {
  keys += 1;
  const key = `3k${keys}`;
  return makePost({
    key,
    uri: `at://did:plc:${name}/app.bsky.feed.post/${key}`,
    userId: `did:plc:${name}`,
    username: `${name}.example`,
    createdMs: endMs - 3_600_000 + keys,
    ...overrides,
  });
};
const repostBy = (name: string): Post =>
  postBy(name, {
    isRepost: true,
    reposted: { uri: original, id: null, username: "bob.example", userId: "did:plc:bob" },
  });

async function getAnswer(
  method: Method,
  target: Target | null,
  overrides: Partial<AnswerRequest> = {},
): Promise<SourceAnswer> {
  const request = makeAnswerRequest({ platform: "bluesky", method, target, ...overrides });
  return await answerJob(fixture.context, request, fixture.job);
}

const answerRecords = ({ items }: SourceAnswer) =>
  items.map((item) => JSON.parse("record" in item ? item.record : "{}"));
const answerCodes = ({ warnings }: SourceAnswer) => warnings.map(({ code }) => code);

const platformWith = (error: EarshotError | null): Upstream =>
  silentUpstream("bluesky", {
    support: {
      ...noSupport,
      getprofilebyid: { access: ["user"], endpoint: "/", note: "" },
    },
    page: async () => {
      if (error !== null) throw error;
      return { items: [], next: null };
    },
  });

test.each(["getprofilebyid", "searchbyprofile"] as const)(
  "%s shows an account as in its newest archived post",
  async (method) => {
    setUp([
      postBy("ann", { authorName: "Old name" }),
      postBy("ann", { authorName: "Ann", authorVerified: true }),
      postBy("bob"),
    ]);
    const answer = await getAnswer(method, author);
    expect(answerRecords(answer)).toMatchObject([
      {
        ID: "did:plc:ann",
        Content: "",
        Metadata: {
          kind: "profile",
          username: "ann.example",
          author: "Ann",
          author_verified: true,
          public_metrics: { followers_count: null, tweet_count: null },
        },
      },
    ]);
    expect(answer.items).toMatchObject([{ userId: "did:plc:ann" }]);
    expect(answer).toMatchObject({
      complete: false,
      coverage: { complete: false, gaps: [{ fromMs: null, toMs: endMs }] },
      sources: [{ platform: "bluesky", via: "archive", count: 1 }],
    });
    expect(answerCodes(answer)).toEqual(["derived_from_archive"]);
    expect(readCount).toBe(1);
  },
);

test("an account without archived posts is absent, and the answer incomplete", async () => {
  setUp([postBy("bob")]);
  const answer = await getAnswer("getprofilebyid", author);
  expect(answer).toMatchObject({ items: [], complete: false });
});

test("a platform that can be requested answers without the archive", async () => {
  setUp([postBy("ann")], platformWith(null));
  const answer = await getAnswer("getprofilebyid", author);
  expect(answer).toMatchObject({ items: [], sources: [{ via: "credential" }] });
  expect(readCount).toBe(0);
});

test("the archive answers when a platform fails, with the error as a warning", async () => {
  setUp([postBy("ann")], platformWith(new EarshotError("upstream_unreachable", "it is down")));
  const answer = await getAnswer("getprofilebyid", author);
  expect(answer.items).toHaveLength(1);
  expect(answerCodes(answer)).toEqual(["derived_from_archive", "upstream_failed"]);
});

test("reposters are derived from archived reposts, newest first and without duplicates, page by page", async () => {
  setUp([repostBy("a"), repostBy("b"), repostBy("a"), repostBy("c"), postBy("d"), repostBy("e")]);
  const first = await getAnswer("getretweeters", originalPost, { maxResults: 2 });
  expect(answerRecords(first).map(({ ID }) => ID)).toEqual(["did:plc:e", "did:plc:c"]);
  const second = await getAnswer("getretweeters", originalPost, {
    maxResults: 2,
    after: first.next,
  });
  expect(answerRecords(second).map(({ ID }) => ID)).toEqual(["did:plc:a", "did:plc:b"]);
  expect(second.next).toBeNull();
  expect(second).toMatchObject({ complete: false, coverage: { complete: false } });
});

test("a limited number of reposts is read, and the next page continues from there", async () => {
  setUp(Array.from({ length: maxReposts + 10 }, (_, n) => repostBy(n < 5 ? "first" : "again")));
  const answer = await getAnswer("getretweeters", originalPost);
  expect(readCount).toBe(maxReposts);
  expect(answerRecords(answer).map(({ ID }) => ID)).toEqual(["did:plc:again"]);
  const next = await getAnswer("getretweeters", originalPost, { after: answer.next });
  expect(answerRecords(next).map(({ ID }) => ID)).toEqual(["did:plc:again", "did:plc:first"]);
});

test("trends are the hashtags and links that most accounts used in the last day", async () => {
  const taggedPost = (name: string, hashtags: string[], urls: string[] = []) =>
    postBy(name, { hashtags, urls, text: hashtags.map((tag) => `#${tag}`).join(" ") });
  setUp([
    taggedPost("a", ["Comet"]),
    taggedPost("b", ["comet", "moon"]),
    taggedPost("c", ["comet"], ["https://example.org/x", "javascript:alert(1)"]),
    taggedPost("d", ["moon"], ["https://example.org/x"]),
    ...Array.from({ length: 5 }, () => taggedPost("spam", ["buy"])),
    postBy("old", { hashtags: ["old"], text: "#old", createdMs: endMs - 90_000_000 }),
    { ...repostBy("e"), hashtags: ["reposted"], text: "#reposted" },
  ]);
  const answer = await getAnswer("gettrends", null, { maxResults: 4 });
  const rows = answerRecords(answer).map(({ ID, Content, Metadata }) => [
    ID,
    Content,
    Metadata.category,
    Metadata.public_metrics.tweet_count,
  ]);
  expect(rows).toEqual([
    ["1", "#comet", "hashtag", 3],
    ["2", "#moon", "hashtag", 2],
    ["3", "https://example.org/x", "link", 2],
    ["4", "#buy", "hashtag", 5],
  ]);
  expect(answer).toMatchObject({
    complete: false,
    sources: [{ via: "archive", fromMs: endMs - 86_400_000, toMs: endMs, count: 4 }],
  });
  expect(answerCodes(answer)).toContain("derived_from_archive");
});

test("trends are counted in a limited number of posts, and report since when", async () => {
  setUp(
    Array.from({ length: maxTrendPosts + 300 }, (_, n) =>
      postBy("a", { hashtags: [`t${n % 7}`], text: `#t${n % 7}` }),
    ),
  );
  const answer = await getAnswer("gettrends", null);
  expect(readCount).toBe(maxTrendPosts);
  expect(answer.items).toHaveLength(7);
  const sinceMs = answer.sources[0]?.fromMs ?? 0;
  expect(sinceMs).toBeGreaterThan(endMs - 86_400_000);
  expect(answer.coverage.gaps[0]).toMatchObject({ fromMs: null });
  expect(answer.warnings.at(-1)?.message).toContain(`in ${maxTrendPosts} archived posts`);
});

test("trends are counted in what was read by the job's deadline", async () => {
  setUp(Array.from({ length: 700 }, () => postBy("a", { hashtags: ["tag"], text: "#tag" })));
  fixture.job = { ...fixture.job, deadlineMs: endMs };
  const answer = await getAnswer("gettrends", null);
  expect(readCount).toBeLessThanOrEqual(500);
  expect(answer.complete).toBe(false);
});
