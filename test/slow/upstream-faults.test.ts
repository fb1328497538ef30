import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { fakeTimelines } from "../../testkit/upstreams/fake-timelines.ts";
import {
  closedConnection,
  endlessBody,
  garbage,
  gzipBomb,
  type HostileUpstream,
  jsonReply,
  nestedJson,
  noReply,
  redirect,
  replyWith,
  shortBody,
  startHostileUpstream,
  stuckInBody,
  truncatedBody,
  type UpstreamReply,
} from "../../testkit/upstreams/hostile-upstream.ts";

/**
 * Each fault leads to a retry, a partial answer, or an error that names the upstream; never to a hang, loss or duplicate.
 */

let hostile: HostileUpstream;
let service: ServiceUnderTest;
let key: string;
let bucket = 0;

beforeAll(async () => {
  hostile = await startHostileUpstream(page([]));
  service = await startServiceUnderTest(
    {
      EARSHOT_UPSTREAM_PRIVATE_HOSTS: hostile.url,
      EARSHOT_UPSTREAM_TIMEOUT: "300ms",
      EARSHOT_UPSTREAM_TRIES: "2",
      EARSHOT_UPSTREAM_MAX_BYTES: "200000",
      EARSHOT_UPSTREAM_MAX_PAGES: "10",
      EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "1000",
      EARSHOT_JOB_DEADLINE: "6s",
      EARSHOT_MAX_ATTEMPTS: "2",
    },
    {
      upstreams: {
        bluesky: fakeTimelines({
          platform: "bluesky",
          access: "public",
          publicBaseUrl: hostile.url,
          bucket: () => `posts ${bucket}`,
        }),
      },
    },
  );
  key = await service.makeKey();
});
beforeEach(() => {
  bucket += 1;
  hostile.script = [];
  hostile.defaultReply = page([]);
  hostile.requests.length = 0;
});
afterAll(async () => {
  await service.remove();
  await hostile.close();
});

function page(ids: readonly string[], next: string | null = null): UpstreamReply {
  return jsonReply({ ids, next });
}

type JobReport = {
  status: string;
  error: string;
  complete: boolean | null;
  count: number | null;
  warnings: { code: string; message: string }[];
  posts: string[];
  nextCursor: string | null;
  httpStatus: number;
  ms: number;
};

async function job(maxResults = 100, nextCursor: string | null = null): Promise<JobReport> {
  const startMs = performance.now();
  const queryArguments = { query: "author.example.com", max_results: maxResults };
  const more = nextCursor === null ? {} : { next_cursor: nextCursor };
  const body = { type: "bluesky", arguments: { type: "gettweets", ...queryArguments, ...more } };
  const submitted = await service.submit(key, body, "/v1/search/live/bluesky");
  expect(submitted.statusCode, submitted.body).toBe(202);
  const { uuid } = submitted.json<{ uuid: string }>();
  const result = await service.result(key, uuid);
  const status = await service.call(key, {
    method: "GET",
    url: `/v1/search/live/bluesky/status/${uuid}`,
  });
  const report = status.json();
  const posts =
    result.statusCode === 200
      ? result
          .json<{ Metadata: { uri: string } }[]>()
          .map(({ Metadata }) => Metadata.uri.split("/").at(-1) ?? "")
      : [];
  expect(new Set(posts).size).toBe(posts.length);
  return {
    ...report,
    posts,
    nextCursor: report.next_cursor,
    httpStatus: result.statusCode,
    ms: performance.now() - startMs,
  };
}

const listCodes = ({ warnings }: JobReport) => warnings.map(({ code }) => code);

const faults: [string, UpstreamReply][] = [
  ["no answer", noReply],
  ["a body that stalls", stuckInBody],
  ["a truncated body", truncatedBody],
  ["truncated JSON", shortBody],
  ["an empty body", replyWith(200)],
  ["a page of HTML", replyWith(200, { "content-type": "text/html" }, "<p>Busy</p>")],
  ["a closed connection", closedConnection],
  ["an answer that is not HTTP", garbage],
  ["a status of 500", replyWith(500)],
  ["a status of 503", replyWith(503, { "retry-after": "1" })],
  ["a rate limit of a second", replyWith(429, { "retry-after": "1" })],
  ["a rate limit without a reset", replyWith(429)],
];

const permanentOnly: [string, UpstreamReply][] = [
  ["a redirect to a private address", redirect("http://169.254.169.254/latest/meta-data")],
  ["an endless body", endlessBody],
  ["a compressed body that expands enormously", gzipBomb(20_000_000)],
  ["deeply nested JSON", nestedJson(5_000)],
  ["a status of 403", replyWith(403, {}, "{}")],
  ["a request for a credential", replyWith(401)],
];

describe("a temporary upstream fault", () => {
  test.each(faults)(
    "the answer is complete despite a temporary upstream fault: %s",
    async (_what, turn) => {
      hostile.script = [turn, page(["1", "2"], "b"), turn, page(["3"])];
      const report = await job();
      expect(report).toMatchObject({ status: "done", complete: true, posts: ["1", "2", "3"] });
      expect(report.ms).toBeLessThan(10_000);
    },
  );
});

describe("a permanent upstream fault", () => {
  test.each([...faults, ...permanentOnly])(
    "a permanent upstream fault leads to an error that names the upstream: %s",
    async (_what, turn) => {
      hostile.defaultReply = turn;
      const report = await job();
      expect(report).toMatchObject({ posts: [] });
      expect(["error", "expired"]).toContain(report.status);
      expect([502, 504]).toContain(report.httpStatus);
      expect(report.error).toMatch(/127\.0\.0\.1:\d+|the platform/);
      expect(report.error).not.toContain("meta-data");
      expect(report.ms).toBeLessThan(10_000);
    },
  );

  test.each([...faults, ...permanentOnly])(
    "a permanent upstream fault after a first page leads to an answer marked as partial: %s",
    async (_what, turn) => {
      hostile.script = [page(["1", "2"], "b")];
      hostile.defaultReply = turn;
      const report = await job();
      expect(report).toMatchObject({ status: "done", complete: false, posts: ["1", "2"] });
      expect(listCodes(report)).toContain("upstream_broke_off");
      expect(report.ms).toBeLessThan(10_000);
    },
  );
});

describe("upstream pages", () => {
  test("upstream pages that repeat and are out of order yield each post once, in an answer marked incomplete", async () => {
    hostile.script = [page(["1", "2", "2"], "b"), page(["3", "2", "1"], "c"), page(["1", "4"])];
    const report = await job();
    expect(report).toMatchObject({ complete: false, posts: ["1", "2", "3", "4"] });
    expect(listCodes(report)).toContain("upstream_repeats");
  });

  test("upstream pages whose cursors form a cycle end with a warning", async () => {
    hostile.script = [page(["1"], "b"), page(["2"], "c")];
    hostile.defaultReply = page(["3"], "b");
    const report = await job();
    expect(report).toMatchObject({ complete: false, posts: ["1", "2", "3"] });
    expect(listCodes(report)).toContain("upstream_repeats");
    expect(hostile.requests).toHaveLength(3);
  });

  test("upstream pages that are empty and never end are abandoned", async () => {
    let n = 0;
    hostile.defaultReply = (request, response) => {
      n += 1;
      page([], `cursor ${n}`)(request, response);
    };
    const report = await job();
    expect(report).toMatchObject({ complete: false, posts: [] });
    expect(listCodes(report)).toContain("upstream_empty_pages");
    expect(hostile.requests.length).toBeLessThan(10);
  });

  test("upstream pages that never end are read to the limit, and the cursor continues there", async () => {
    let n = 0;
    hostile.defaultReply = (request, response) => {
      n += 1;
      page([`${n}`], `cursor ${n}`)(request, response);
    };
    const first = await job();
    expect(first).toMatchObject({ complete: false, count: 10 });
    expect(listCodes(first)).toContain("page_limit_reached");
    const second = await job(100, first.nextCursor);
    expect(second.posts).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 11}`));
  });

  test("upstream pages that are larger than requested are returned in parts without loss or repetition", async () => {
    const bodies: Record<string, UpstreamReply> = {
      first: page(["1", "2", "3", "4", "5"], "b"),
      b: page(["6", "7"]),
    };
    hostile.defaultReply = (request, response) => {
      const cursor = new URL(request.url ?? "", hostile.url).searchParams.get("cursor") ?? "first";
      (bodies[cursor] ?? replyWith(400))(request, response);
    };
    const posts: string[] = [];
    let cursor: string | null = null;
    do {
      const report = await job(2, cursor);
      posts.push(...report.posts);
      cursor = report.nextCursor;
    } while (cursor !== null);
    expect(posts).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  });
});

test("the posts that were read before an account disappeared are returned, marked incomplete", async () => {
  hostile.script = [page(["1", "2"], "b")];
  hostile.defaultReply = replyWith(404, {}, "{}");
  const report = await job();
  expect(report).toMatchObject({ status: "done", complete: false, posts: ["1", "2"] });
  expect(listCodes(report)).toContain("upstream_gone");
});

test("a request for the posts of an unknown account returns an empty list", async () => {
  hostile.defaultReply = replyWith(404, {}, "{}");
  expect(await job()).toMatchObject({ status: "done", complete: true, posts: [], httpStatus: 200 });
});
