import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { EarshotError } from "../lib/errors.ts";
import type { AnswerItem, SourceAnswer } from "../platforms/source.ts";
import type { SearchCall, Upstream, UpstreamPage } from "../platforms/upstream.ts";
import type { Post } from "../posts/post.ts";
import {
  type AnsweringUnderTest,
  endMs,
  makeAnswerRequest,
  postTime,
  type RequestedPages,
  searchingUpstream,
  setUpAnswering,
  testSession,
} from "./answer.test-support.ts";
import { answerJob } from "./answer.ts";

const hourMs = 3_600_000;
const startMs = endMs - 24 * hourMs;
let fixture: AnsweringUnderTest | null = null;
afterEach(() => {
  fixture?.archive.remove();
  fixture = null;
});

const postAt = (hour: number, overrides: Partial<Post> = {}): Post =>
  makePost({
    uri: `at://did:plc:author/app.bsky.feed.post/hour-${hour}`,
    createdMs: startMs + hour * hourMs,
    text: `comet ${hour}`,
    ...overrides,
  });

function store({ archive }: AnsweringUnderTest, posts: readonly Post[], spans: [number, number][]) {
  archive.write(
    posts.map((post) => ({ kind: "upsert", post })),
    {
      coverage: spans.map(([from, to]) => ({
        platform: "bluesky",
        collection: "posts",
        account: null,
        source: "import",
        fromMs: startMs + from * hourMs,
        toMs: startMs + to * hourMs,
      })),
    },
  );
}

const answerUris = (answer: SourceAnswer, all: readonly Post[]): string[] =>
  answer.items.map((item) => itemUri(item, all));

function itemUri(item: AnswerItem, all: readonly Post[]): string {
  if ("record" in item) return item.uri ?? "";
  const archivedRecord = fixture?.archive.records([item])[0];
  return archivedRecord?.Metadata.uri ?? all[0]?.uri ?? "";
}

const wholeWindow = { query: "comet", fromMs: startMs };

test("no platform is requested before the job is accepted, and a search of only the archive needs no acceptance", async () => {
  const requested: RequestedPages = [];
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", [postAt(1)], { requested }) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const refusal = new EarshotError("lease_lost", "the submission was refused");
  let acceptCount = 0;
  const accepted = async () => {
    acceptCount += 1;
    throw refusal;
  };
  const { context, job } = fixture;
  const answer = () => answerJob(context, makeAnswerRequest(wholeWindow), { ...job, accepted });
  await expect(answer()).rejects.toBe(refusal);
  expect([acceptCount, requested.length]).toEqual([1, 0]);
  store(fixture, [], [[0, 24]]);
  await answer();
  expect([acceptCount, requested.length]).toEqual([1, 0]);
});

test("a search whose credentials cannot be read fails without an unhandled rejection", async () => {
  const failure = new EarshotError("storage_full", "the disk is full");
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", []) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const { context, job } = fixture;
  const search = Promise.withResolvers<never>();
  const failingContext = {
    ...context,
    source: {
      ...context.source,
      archive: { ...context.source.archive, search: () => search.promise },
    },
    sessions: { ...context.sessions, open: () => Promise.reject(failure) },
  };
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", record);
  await expect(answerJob(failingContext, makeAnswerRequest(wholeWindow), job)).rejects.toBe(
    failure,
  );
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", record);
  expect(unhandled).toEqual([]);
});

test("a search requests from platforms exactly the times that the archive lacks", async () => {
  const posts = [1, 5, 9, 13, 17, 21].map((hour) => postAt(hour));
  const requested: RequestedPages = [];
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", posts, { requested }) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  store(
    fixture,
    [posts[0], posts[1], posts[5]].flatMap((post) => post ?? []),
    [
      [0, 8],
      [20, 24],
    ],
  );
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answerUris(answer, posts)).toEqual(posts.map(({ uri }) => uri).reverse());
  expect(requested).toHaveLength(1);
  expect(requested[0]).toMatchObject({ fromMs: startMs + 8 * hourMs, toMs: startMs + 20 * hourMs });
  expect(answer).toMatchObject({
    complete: true,
    next: null,
    coverage: { complete: true, gaps: [] },
  });
  expect(answer.warnings).toEqual([]);
  expect(answer.sources).toEqual([
    { platform: "bluesky", via: "archive", fromMs: startMs, toMs: endMs, count: 3 },
    {
      platform: "bluesky",
      via: "credential",
      fromMs: startMs + 8 * hourMs,
      toMs: startMs + 20 * hourMs,
      count: 3,
    },
  ]);
});

test("a search requests no platform if the archive covers the whole window", async () => {
  const requested: RequestedPages = [];
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", [postAt(3)], { requested }) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  store(fixture, [], [[0, 24]]);
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answer).toMatchObject({ items: [], complete: true });
  expect(requested).toEqual([]);
});

test("posts from a platform that do not match are dropped", async () => {
  const posts = [postAt(3), postAt(4, { text: "meteor" }), postAt(5, { createdMs: startMs - 1 })];
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", posts) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answerUris(answer, posts)).toEqual([posts[0]?.uri]);
});

test("a search for a handle unknown to the archive finds the platform's posts with that handle", async () => {
  const posts = [postAt(3), postAt(4, { username: "other.example.com", userId: "did:plc:other" })];
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", posts) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const request = makeAnswerRequest({ ...wholeWindow, query: "from:other.example.com" });
  expect(answerUris(await answerJob(fixture.context, request, fixture.job), posts)).toEqual([
    posts[1]?.uri,
  ]);
});

test("a platform without an exhaustive search leaves the gap open", async () => {
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", [postAt(3)], { isExhaustive: false }) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answer.items).toHaveLength(1);
  expect(answer).toMatchObject({ complete: false, coverage: { complete: false } });
  expect(answer.warnings.map(({ code }) => code)).toEqual(["incomplete_coverage"]);
});

test("an error after the first page leaves an incomplete answer that names the platform", async () => {
  const posts = [3, 5, 7].map((hour) => postAt(hour));
  const upstream = searchingUpstream("bluesky", posts, { pageSize: 1 });
  const { search } = upstream;
  let calls = 0;
  const failingSearch = search && {
    ...search,
    page: async (...call: Parameters<typeof search.page>) => {
      calls += 1;
      if (calls === 3)
        throw new EarshotError("upstream_failed", "api.example returned 503", {
          status: 502,
          retryable: true,
        });
      return await search.page(...call);
    },
  };
  fixture = setUpAnswering({
    upstreams: { bluesky: { ...upstream, search: failingSearch } },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answerUris(answer, posts)).toEqual([posts[2]?.uri, posts[1]?.uri]);
  expect(answer.complete).toBe(false);
  expect(answer.coverage.gaps).toHaveLength(1);
  expect(answer.warnings).toContainEqual(
    expect.objectContaining({
      code: "upstream_failed",
      message: expect.stringContaining("api.example"),
    }),
  );
});

test("a temporary error is thrown when nothing was found, so that the job is retried", async () => {
  const upstream = searchingUpstream("bluesky", []);
  const error = new EarshotError("upstream_timeout", "api.example did not answer in time", {
    status: 504,
    retryable: true,
  });
  const search = upstream.search && { ...upstream.search, page: () => Promise.reject(error) };
  fixture = setUpAnswering({
    upstreams: { bluesky: { ...upstream, search } },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  await expect(
    answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job),
  ).rejects.toBe(error);
});

test("the next credential is used after a refused one", async () => {
  const posts = [postAt(3)];
  const upstream = searchingUpstream("bluesky", posts);
  const { search } = upstream;
  const searchRefusing = search && {
    ...search,
    page: async (...[call, session]: Parameters<typeof search.page>) => {
      if (session.credentialId === "bad") throw new EarshotError("credential_refused", "refused");
      return await search.page(call, session);
    },
  };
  fixture = setUpAnswering({
    upstreams: { bluesky: { ...upstream, search: searchRefusing } },
    sessions: {
      bluesky: [testSession("bluesky", { credentialId: "bad" }), testSession("bluesky")],
    },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answer.items).toHaveLength(1);
});

test("a search of cyclic or endless pages ends", async () => {
  for (const next of [
    () => "same",
    (
      (n) => () =>
        String(n++)
    )(0),
  ]) {
    const upstream = searchingUpstream("bluesky", []);
    const page = async () => ({
      items: [{ kind: "post" as const, post: postAt(3) }],
      next: next(),
    });
    fixture = setUpAnswering({
      upstreams: {
        bluesky: { ...upstream, search: upstream.search && { ...upstream.search, page } },
      },
      sessions: { bluesky: [testSession("bluesky")] },
    });
    const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
    expect(answer.items).toHaveLength(1);
    expect(answer.complete).toBe(false);
    expect(answer.warnings.map(({ code }) => code)).toContain("upstream_repeats");
    fixture.archive.remove();
    fixture = null;
  }
});

function upstreamWithPages(pages: readonly UpstreamPage[]): Upstream {
  const upstream = searchingUpstream("bluesky", []);
  const page = async ({ cursor }: SearchCall) => pages[Number(cursor ?? 0)] ?? null;
  return { ...upstream, search: upstream.search && { ...upstream.search, page } };
}

const pageWith = (hours: readonly number[], next: string | null = null): UpstreamPage => ({
  items: hours.map((hour) => ({ kind: "post", post: postAt(hour) })),
  next,
});

test.each([
  ["out of time order on one page", [pageWith([5, 7, 3])], "upstream_out_of_order"],
  [
    "out of time order over two pages",
    [pageWith([5, 3], "1"), pageWith([7])],
    "upstream_out_of_order",
  ],
  ["more than once", [pageWith([7, 5], "1"), pageWith([5, 3])], "upstream_repeats"],
  [
    "in an unreadable form",
    [
      {
        ...pageWith([5]),
        warnings: [{ code: "unreadable_items", message: "one", isPartial: true }],
      },
    ],
    "unreadable_items",
  ],
] as const)("posts that a platform returns %s make the answer partial", async (_, pages, code) => {
  fixture = setUpAnswering({
    upstreams: { bluesky: upstreamWithPages(pages) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answer).toMatchObject({ complete: false, coverage: { complete: false } });
  expect(answer.warnings.map((warning) => warning.code)).toContain(code);
  expect(answer.warnings.every((warning) => !("isPartial" in warning))).toBe(true);
});

test("posts in the same second may arrive in any order", async () => {
  const [first, second] = [postAt(5), postAt(6, { createdMs: startMs + 5 * hourMs + 999 })];
  const items = [first, second].map((post) => ({ kind: "post", post }) as const);
  fixture = setUpAnswering({
    upstreams: { bluesky: upstreamWithPages([{ items, next: null }]) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const answer = await answerJob(fixture.context, makeAnswerRequest(wholeWindow), fixture.job);
  expect(answer).toMatchObject({ complete: true });
});

test("a later page covers the time before the previous one, without gaps after it", async () => {
  const posts = [1, 5, 9, 13, 17, 21].map((hour) => postAt(hour));
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", posts) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  const request = { ...wholeWindow, platform: "bluesky", maxResults: 2 } as const;
  let after: SourceAnswer["next"] = null;
  let toMs = endMs;
  for (let page = 0; page < 3; page += 1) {
    const answer: SourceAnswer = await answerJob(
      fixture.context,
      makeAnswerRequest({ ...request, after }),
      fixture.job,
    );
    expect(answer).toMatchObject({
      complete: true,
      coverage: { fromMs: startMs, toMs, complete: true, gaps: [] },
      warnings: [],
    });
    expect(answer.coverage.platforms).toMatchObject([{ held: [{ fromMs: startMs, toMs }] }]);
    toMs = startMs + (17 - 8 * page) * hourMs + 1;
    after = answer.next;
  }
  expect(after).toBeNull();
});

test("a later page is complete if a platform filled the newer part and the archive covers the rest", async () => {
  const posts = [1, 5, 9, 13, 17, 21].map((hour) => postAt(hour));
  fixture = setUpAnswering({
    upstreams: { bluesky: searchingUpstream("bluesky", posts) },
    sessions: { bluesky: [testSession("bluesky")] },
  });
  store(fixture, posts.slice(0, 4), [[0, 15]]);
  const first = await answerJob(
    fixture.context,
    makeAnswerRequest({ ...wholeWindow, maxResults: 3 }),
    fixture.job,
  );
  expect(first).toMatchObject({ complete: true });
  const second = await answerJob(
    fixture.context,
    makeAnswerRequest({ ...wholeWindow, maxResults: 3, after: first.next }),
    fixture.job,
  );
  expect(second).toMatchObject({ complete: true, next: null, warnings: [] });
  expect(second.items).toHaveLength(3);
});

test("pages of any size together contain all posts from the archive and the platform once, newest first", async () => {
  const hour = fc.integer({ min: 0, max: 23 });
  const samples = fc.record({
    hours: fc.uniqueArray(hour, { maxLength: 20 }),
    archivedHours: fc.uniqueArray(hour, { maxLength: 20 }),
    spans: fc.array(
      fc
        .tuple(hour, fc.integer({ min: 1, max: 6 }))
        .map(([from, length]): [number, number] => [from, Math.min(24, from + length)]),
      { maxLength: 4 },
    ),
    limit: fc.integer({ min: 1, max: 7 }),
    pageSize: fc.integer({ min: 1, max: 5 }),
    maxPages: fc.integer({ min: 1, max: 4 }),
    isExhaustive: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      samples,
      async ({ hours, archivedHours, spans, limit, pageSize, maxPages, isExhaustive }) => {
        const isCovered = (index: number) =>
          spans.some(([from, to]) => index >= from && index < to);
        const posts = hours.map((at) => postAt(at));
        const archivedPosts = hours
          .filter((at) => isCovered(at) || archivedHours.includes(at))
          .map((at) => postAt(at));
        const gateway = setUpAnswering({
          upstreams: { bluesky: searchingUpstream("bluesky", posts, { pageSize, isExhaustive }) },
          sessions: { bluesky: [testSession("bluesky")] },
          maxPages,
        });
        fixture = gateway;
        try {
          store(gateway, archivedPosts, spans);
          const found: string[] = [];
          let request = makeAnswerRequest({ ...wholeWindow, maxResults: limit });
          for (let page = 0; page < 200; page += 1) {
            const answer = await answerJob(gateway.context, request, gateway.job);
            expect(answer.items.length).toBeLessThanOrEqual(limit);
            found.push(...answerUris(answer, posts));
            if (answer.next === null) break;
            request = { ...request, after: answer.next };
          }
          const expectedUris = posts
            .toSorted((a, b) => postTime(b) - postTime(a))
            .map(({ uri }) => uri);
          expect(found).toEqual(expectedUris);
        } finally {
          gateway.archive.remove();
          fixture = null;
        }
      },
    ),
    { numRuns: 60 },
  );
});
