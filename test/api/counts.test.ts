import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let service: ServiceUnderTest;
let key: string;
let hour: number;

const hoursAgo = (hours: number) => hour - hours * hourMs + 30 * minuteMs;

beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_MAX_COUNT_BUCKETS: "200" });
  key = await service.makeKey();
  hour = Math.floor(service.clock.now() / hourMs) * hourMs;
  const postOf = (hours: number, n: number, platform: "bluesky" | "mastodon" = "bluesky") =>
    makePost({
      key: `${platform}${hours}-${n}`,
      platform,
      text: "a comet",
      createdMs: hoursAgo(hours) + n,
    });
  await service.addPosts([
    ...[0, 1, 2].map((n) => postOf(2, n)),
    postOf(3, 0, "mastodon"),
    postOf(5, 0),
    postOf(24 * 40, 0),
  ]);
});
afterAll(() => service.remove());

type Parameters = Record<string, string | number>;

function get(parameters: Parameters | string, path = "/v1/search/social/counts", apiKey = key) {
  const entries = typeof parameters === "string" ? parameters : queryString(parameters);
  return service.call(apiKey, { method: "GET", url: `${path}?${entries}` });
}

const queryString = (parameters: Parameters): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === "number" ? new Date(value).toISOString() : value,
    ]),
  ).toString();

type Bucket = { start: string; end: string; tweet_count: number };

async function counts(parameters: Parameters, path?: string) {
  const response = await get(parameters, path);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

const nonEmpty = (data: readonly Bucket[]) => data.filter(({ tweet_count }) => tweet_count > 0);

describe("the answer", () => {
  test("the answer to a count has X's fields plus coverage", async () => {
    const response = await get({
      query: "comet  OR   aurora",
      start_time: hour - 6 * hourMs,
      end_time: hour - hourMs,
    });
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.headers["x-coverage"]).toMatch(/^complete=\?0, from=.*, gaps=1$/);
    expect(response.headers["x-warnings"]).toBe('"incomplete_coverage"');
    const body = response.json();
    expect(Object.keys(body)).toEqual([
      "data",
      "meta",
      "complete",
      "coverage",
      "warnings",
      "canonical_query",
    ]);
    const at = (hours: number) => new Date(hour - hours * hourMs).toISOString();
    expect(body.data).toEqual([
      { start: at(6), end: at(5), tweet_count: 0 },
      { start: at(5), end: at(4), tweet_count: 1 },
      { start: at(4), end: at(3), tweet_count: 0 },
      { start: at(3), end: at(2), tweet_count: 1 },
      { start: at(2), end: at(1), tweet_count: 3 },
    ]);
    expect(body.meta).toEqual({ total_tweet_count: 5 });
    expect(body.canonical_query).toBe("comet OR aurora");
    expect(body.complete).toBe(false);
    expect(body.coverage).toMatchObject({ complete: false, from: at(6), to: at(1) });
    expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual([
      "incomplete_coverage",
    ]);
  });

  test("a count covers seven days by hour by default, and its first and last bucket are partial", async () => {
    const { data } = await counts({ query: "comet" });
    expect(data.length).toBe(169);
    const [first, last] = [data[0], data.at(-1)];
    expect(Date.parse(last.end) - Date.parse(first.start)).toBe(7 * dayMs);
    expect(Date.parse(first.end) % hourMs).toBe(0);
    expect(Date.parse(last.start) % hourMs).toBe(0);
    expect(nonEmpty(data).map((bucket: Bucket) => bucket.tweet_count)).toEqual([1, 1, 3]);
  });

  test("a count can have buckets of a minute or a day, for all platforms or one", async () => {
    const window = { start_time: hour - 3 * hourMs, end_time: hour };
    const byMinute = await counts({ query: "comet", granularity: "minute", ...window });
    expect(nonEmpty(byMinute.data)).toEqual([
      {
        start: new Date(hoursAgo(3)).toISOString(),
        end: new Date(hoursAgo(3) + minuteMs).toISOString(),
        tweet_count: 1,
      },
      {
        start: new Date(hoursAgo(2)).toISOString(),
        end: new Date(hoursAgo(2) + minuteMs).toISOString(),
        tweet_count: 3,
      },
    ]);
    const byDay = await counts({ query: "comet", granularity: "day" });
    expect(byDay.data.length).toBe(8);
    expect(byDay.meta.total_tweet_count).toBe(5);
    const ofOne = await counts({ query: "comet" }, "/v1/search/mastodon/counts");
    expect(ofOne.meta.total_tweet_count).toBe(1);
    expect((await counts({ query: "comet" }, "/v1/search/twitter/counts")).meta).toEqual({
      total_tweet_count: 0,
    });
  });

  test("a count is complete where the window is fully covered", async () => {
    const stored = await startServiceUnderTest();
    try {
      const storedKey = await stored.makeKey();
      const from = hour - 4 * hourMs;
      await stored.context.archive.write({
        changes: [],
        coverage: [
          {
            platform: "bluesky",
            collection: "posts",
            account: null,
            source: "import",
            fromMs: from,
            toMs: hour - 2 * hourMs,
          },
        ],
      });
      const request = async (start_time: number, end_time: number) => {
        const url = `/v1/search/bluesky/counts?${queryString({ query: "comet", start_time, end_time })}`;
        return (await stored.call(storedKey, { method: "GET", url })).json();
      };
      const whole = await request(from, from + hourMs);
      expect(whole).toMatchObject({ complete: true, warnings: [], meta: { total_tweet_count: 0 } });
      const part = await request(from, from + 3 * hourMs);
      expect(part.complete).toBe(false);
      expect(part.coverage.gaps).toEqual([
        {
          from: new Date(from + 2 * hourMs).toISOString(),
          to: new Date(from + 3 * hourMs).toISOString(),
        },
      ]);
    } finally {
      await stored.remove();
    }
  });

  test("the answer to a count includes warnings about the query and about an empty window", async () => {
    const { warnings, data } = await counts({
      query: "re:invent",
      start_time: hour,
      end_time: hour - dayMs,
    });
    expect(data).toEqual([]);
    const codes = warnings.map(({ code }: { code: string }) => code);
    expect(codes).toContain("empty_window");
    expect(codes).toContain("unknown_operator");
  });
});

describe("the pages of a count", () => {
  test("pages of a count go from newest to oldest without repeating or skipping a bucket", async () => {
    const requested = { query: "comet", start_time: hour - 41 * dayMs, end_time: hour };
    const pages: Bucket[][] = [];
    let next: string | undefined;
    do {
      const { data, meta } = await counts({ ...requested, ...(next ? { next_token: next } : {}) });
      expect(data.length).toBeLessThanOrEqual(200);
      expect(meta.total_tweet_count).toBe(
        data.reduce((sum: number, bucket: Bucket) => sum + bucket.tweet_count, 0),
      );
      pages.unshift(data);
      next = meta.next_token;
    } while (next !== undefined);
    expect(pages.length).toBe(5);
    const all = pages.flat();
    expect(all.length).toBe(41 * 24);
    expect(all.every(({ start }, index) => index === 0 || start === all[index - 1]?.end)).toBe(
      true,
    );
    expect(all[0]?.start).toBe(new Date(requested.start_time).toISOString());
    expect(nonEmpty(all).map((bucket) => bucket.tweet_count)).toEqual([1, 1, 1, 3]);
  });

  test("pages of a count accept a token only for the count that issued it", async () => {
    const requested = { query: "comet", start_time: hour - 41 * dayMs };
    const { meta } = await counts(requested);
    const getPage = (more: Parameters) =>
      get({ ...requested, next_token: meta.next_token, ...more });
    expect((await getPage({})).statusCode).toBe(200);
    const { start_time: _, ...leftOut } = requested;
    expect((await get({ ...leftOut, next_token: meta.next_token })).statusCode).toBe(200);
    for (const more of [
      { query: "other" },
      { granularity: "day" },
      { start_time: hour - 40 * dayMs },
    ]) {
      const response = await getPage(more);
      expect(response.json(), response.body).toMatchObject({
        status: 400,
        code: "cursor_mismatch",
      });
    }
    expect((await getPage({ next_token: "abc" })).json()).toMatchObject({
      code: "cursor_invalid",
      detail: "invalid next_token",
      errors: [{ code: "cursor_invalid", pointer: "/next_token" }],
    });
    const outsider = await service.makeKey();
    const parameters = { ...requested, next_token: meta.next_token };
    expect((await get(parameters, undefined, outsider)).json().code).toBe("cursor_mismatch");
  });

  test("a page of a count ends early when the time limit is reached, with a token that continues there", async () => {
    const reported: number[] = [];
    const { countPosts } = service.context.http;
    service.context.http.countPosts = async (request, ...rest) => {
      const counted = await countPosts(request, ...rest);
      reported.push(request.toMs);
      if (reported.length > 1) return counted;
      const countedFromMs = hour - 4 * hourMs;
      return {
        ...counted,
        countedFromMs,
        buckets: counted.buckets.filter(({ fromMs }) => fromMs >= countedFromMs),
      };
    };
    try {
      const requested = { query: "comet", start_time: hour - 10 * hourMs, end_time: hour };
      const first = await counts(requested);
      expect(first.data.length).toBe(4);
      const second = await counts({ ...requested, next_token: first.meta.next_token });
      expect(second.data.length).toBe(6);
      expect(second.data.at(-1).end).toBe(first.data[0].start);
      expect(second.meta).toEqual({ total_tweet_count: 1 });
    } finally {
      service.context.http.countPosts = countPosts;
    }
  });

  test("a page of a count returns 504 when there is no time for a single bucket", async () => {
    const { countPosts } = service.context.http;
    service.context.http.countPosts = async (request, ...rest) => ({
      ...(await countPosts(request, ...rest)),
      buckets: [],
      countedFromMs: request.toMs,
    });
    try {
      const response = await get({ query: "comet" });
      expect(response.json()).toMatchObject({ status: 504, code: "deadline_exceeded" });
      expect(response.json().hint).toContain("start_time");
    } finally {
      service.context.http.countPosts = countPosts;
    }
  });
});

describe("rejected counts", () => {
  test.each([
    ["query=comet&granuarity=hour", "/granuarity", 'did you mean "granularity"?'],
    ["query=comet&granularity=week", "/granularity", "expected one of minute, hour, day"],
    ["query=comet&start_time=yesterday", "/start_time", "ISO 8601"],
    ["query=comet&start_time=2026-01-01T00:00:00+02:00", "/start_time", "ISO 8601"],
    ["query=comet&end_time=", "/end_time", "ISO 8601"],
    ["query=comet&query=aurora", "/query", "expected a string"],
    ["query=", "/query", "a query is required"],
    ["", "/query", "expected a string"],
  ])("a count is rejected: %s", async (parameters, pointer, message) => {
    const response = await get(parameters);
    expect(response.statusCode).toBe(400);
    expect(response.headers["content-type"]).toContain("application/problem+json");
    const problem = response.json();
    expect(problem.code).toBe("invalid_request");
    expect(problem.errors[0].pointer).toBe(pointer);
    expect(problem.detail).toContain(message);
  });

  test("rejected counts report the offset of each error in an unreadable query", async () => {
    const problem = (await get({ query: "comet since:2026-02-30" })).json();
    expect(problem).toMatchObject({ status: 400, code: "invalid_query" });
    expect(problem.errors[0]).toMatchObject({ offset: 12, length: 10 });
    expect(problem.uuid).toBeUndefined();
    expect((await get({ query: "x".repeat(4_097) })).json().code).toBe("invalid_query");
  });

  test("a count with a missing key, an unknown platform, a trailing slash or another method is rejected", async () => {
    const url = "/v1/search/social/counts?query=comet";
    expect((await service.call(null, { method: "GET", url })).statusCode).toBe(401);
    expect((await get({ query: "comet" }, "/v1/search/blusky/counts")).json()).toMatchObject({
      status: 404,
      hint: "did you mean bluesky?",
    });
    expect((await get({ query: "comet" }, "/v1/search/social/counts/")).statusCode).toBe(404);
    const posted = await service.call(key, { method: "POST", url });
    expect(posted.statusCode).toBe(405);
    expect(posted.headers.allow).toBe("GET, HEAD, OPTIONS");
    const head = await service.call(key, { method: "HEAD", url });
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe("");
  });
});

test("a count costs one search, and a rejected one costs none", async () => {
  const own = await service.makeKey({ requestsPerSecond: 1_000, submissionsPerMinute: 2 });
  const url = "/v1/search/social/counts";
  const request = (query: string) => get({ query }, url, own);
  expect((await request("(")).statusCode).toBe(400);
  const first = await request("comet");
  expect(first.headers.ratelimit).toMatch(/"search";r=1;/);
  expect((await request("comet")).statusCode).toBe(200);
  const refused = await request("comet");
  expect(refused.statusCode).toBe(429);
  expect(refused.headers["retry-after"]).toBeDefined();
  expect(refused.json().code).toBe("rate_limited");
});

test("a count stops when its client disconnects, and still counts as a search", async () => {
  const own = await service.makeKey({ requestsPerSecond: 1_000, submissionsPerMinute: 2 });
  const { http } = service.context;
  const started = Promise.withResolvers<AbortSignal>();
  const count = vi.spyOn(http, "countPosts").mockImplementation((_request, _deadlineMs, signal) => {
    started.resolve(signal);
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
  });
  const clientAbort = new AbortController();
  const response = fetch(`${service.url}/v1/search/social/counts?query=comet`, {
    headers: { authorization: `Bearer ${own}` },
    signal: clientAbort.signal,
  });
  const signal = await started.promise;
  clientAbort.abort();
  await expect(response).rejects.toThrow();
  await until("the count is cancelled", async () => (signal.aborted ? true : null));
  count.mockRestore();
  const next = await get({ query: "comet" }, "/v1/search/social/counts", own);
  expect(next.headers.ratelimit).toMatch(/"search";r=0;/);
  expect(await http.metrics.text()).not.toContain('code="internal"');
});
