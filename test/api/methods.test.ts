import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EarshotError } from "../../src/lib/errors.ts";
import { methodNames } from "../../src/platforms/methods.ts";
import type { UpstreamItem } from "../../src/platforms/upstream.ts";
import type { Platform, Post } from "../../src/posts/post.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { makeProfile, stubUpstream } from "../../testkit/upstreams/stub-upstream.ts";

const post = (overrides: Partial<Post> & { key?: string }): UpstreamItem => ({
  kind: "post",
  post: makePost({ origin: "upstream", ...overrides }),
});
const timeline = Array.from({ length: 5 }, (_, index) =>
  post({ key: `t${index}`, text: `post ${index} ${"of a comet ".repeat(20)}` }),
);
const makeUri = (key: string): string => `at://did:plc:author/app.bsky.feed.post/${key}`;

const bluesky = stubUpstream("bluesky", {
  getbyid: [],
  getreplies: [],
  gettweets: [],
  getfollowers: [],
  getprofilebyid: [],
  gettrends: [],
  getretweeters: [],
});
const x = stubUpstream(
  "x",
  { getprofilebyid: [], gettweets: [], getspace: [] },
  { displayScope: "ids" },
);

const mastodon = stubUpstream("mastodon", { getbyid: [], gettweets: [], getprofilebyid: [] });

let service: ServiceUnderTest;
let key: string;

beforeAll(async () => {
  service = await startServiceUnderTest(
    { EARSHOT_MAX_ATTEMPTS: "1" },
    { upstreams: { bluesky, mastodon, x } },
  );
  key = await service.makeKey();
});
afterAll(() => service.remove());
beforeEach(() => {
  for (const stub of [bluesky, mastodon, x]) {
    stub.calls.length = 0;
    for (const method of Object.keys(stub.answers)) Object.assign(stub.answers, { [method]: [] });
  }
});

const makeBody = (type: string, query: string | undefined, more: Record<string, unknown> = {}) => ({
  type: "social",
  arguments: { type, query, ...more },
});

async function run(body: unknown, path = "/v1/search/live/social", apiKey = key) {
  const submitted = await service.submit(apiKey, body, path);
  expect(submitted.body).toContain('"error":""');
  const { uuid } = submitted.json();
  const result = await service.result(apiKey, uuid);
  const url = `/v1/search/live/social/status/${uuid}`;
  const status = (await service.call(apiKey, { method: "GET", url })).json();
  return { uuid, result, status, records: result.json() };
}

async function refusal(body: unknown, path?: string) {
  const response = await service.submit(key, body, path);
  expect(response.headers["content-type"]).toContain("application/problem+json");
  return response.json();
}

const statusCodes = (status: { warnings: { code: string }[] }): string[] =>
  status.warnings.map(({ code }) => code);

describe("a method that does not search", () => {
  test("a method that does not search requests the platform and returns its records", async () => {
    bluesky.answers.getprofilebyid = [{ kind: "profile", profile: makeProfile() }];
    const { result, status, records } = await run(
      makeBody("getprofilebyid", "https://bsky.app/profile/did:plc:author/post/3k"),
    );
    expect(records).toMatchObject([
      { ID: "did:plc:author", Content: "writes", Metadata: { kind: "profile" } },
    ]);
    expect(result.headers["x-coverage"]).toMatch(/^complete, to="[^"]+", gaps=0$/);
    expect(status).toMatchObject({
      platform: "bluesky",
      method: "getprofilebyid",
      canonical_query: "bluesky:did:plc:author",
      sources: [{ platform: "bluesky", via: "public", from: null, count: 1 }],
      count: 1,
      complete: true,
      coverage: { from: null, complete: true, gaps: [] },
      warnings: [],
      next_cursor: null,
    });
    expect(bluesky.calls[0]?.target).toMatchObject({ kind: "user", id: "did:plc:author" });
  });

  test("a method that does not search continues at its cursor without repeating records", async () => {
    bluesky.answers.gettweets = timeline;
    const body = (cursor?: string) =>
      makeBody("gettweets", "@author.example.com", { max_results: 3, next_cursor: cursor });
    const first = await run(body());
    const cursor = first.result.headers["x-next-cursor"];
    expect(first.status.next_cursor).toBe(cursor);
    const second = await run(body(String(cursor)));
    const keys = [...first.records, ...second.records].map(({ Content }) => Content.slice(0, 6));
    expect(keys).toEqual(["post 0", "post 1", "post 2", "post 3", "post 4"]);
    expect(second.result.headers["x-next-cursor"]).toBeUndefined();
  });

  test("a method that does not search rejects a cursor of another method, query, platform or account", async () => {
    bluesky.answers.gettweets = timeline;
    x.answers.gettweets = timeline;
    bluesky.answers.getfollowers = timeline;
    const body = makeBody("gettweets", "@author.example.com", { max_results: 1 });
    const cursor = (await run(body)).result.headers["x-next-cursor"];
    const more = { max_results: 1, next_cursor: cursor };
    const others = [
      makeBody("getfollowers", "@author.example.com", more),
      makeBody("gettweets", "@other.example.com", more),
      makeBody("gettweets", "x:@author", more),
      { type: "social", arguments: { type: "searchbyquery", query: "author", ...more } },
    ];
    for (const other of others) {
      const problem = await refusal(other);
      expect(problem).toMatchObject({ status: 400, code: "cursor_mismatch" });
      expect(problem.errors[0].pointer).toBe("/arguments/next_cursor");
    }
    const outsider = await service.makeKey();
    const again = makeBody("gettweets", "@author.example.com", more);
    expect((await service.submit(outsider, again)).json().code).toBe("cursor_mismatch");
    expect((await service.submit(key, again)).statusCode).toBe(202);
  });

  test("arguments of searches and of other methods are rejected for a method that does not search", async () => {
    const searchArguments = { start_time: "2026-01-01", end_time: "2026-01-02", sort: "newest" };
    const problem = await refusal(makeBody("gettweets", "@a.example", searchArguments));
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/arguments/start_time",
      "/arguments/end_time",
      "/arguments/sort",
    ]);
    const query = await refusal(makeBody("gettrends", "comet"));
    expect(query.errors).toMatchObject([{ code: "not_for_method", pointer: "/arguments/query" }]);
    expect((await service.submit(key, makeBody("gettrends", " "))).statusCode).toBe(202);
    const bound = await refusal(makeBody("gettweets", "@a.example", { max_results: 101 }));
    expect(bound.detail).toContain("1 to 100");
  });

  test("a method that does not search locates an unreadable target in code points", async () => {
    const problem = await refusal(makeBody("gettweets", " 😀"));
    expect(problem).toMatchObject({ status: 400, code: "invalid_query" });
    expect(problem.errors[0]).toMatchObject({
      code: "invalid_user",
      pointer: "/arguments/query",
      offset: 1,
      length: 1,
    });
  });

  test("a method that does not search requests the platform that path, type or query name", async () => {
    x.answers.getprofilebyid = [{ kind: "profile", profile: makeProfile({ platform: "x" }) }];
    const byQuery = await run(makeBody("getprofilebyid", "https://x.com/ann"));
    expect(byQuery.status).toMatchObject({ platform: "x", canonical_query: "x:@ann" });
    const byPath = await run(makeBody("getprofilebyid", "ann"), "/v1/search/live/twitter");
    expect(byPath.status).toMatchObject({ platform: "x", canonical_query: "x:@ann" });
    const byType = await run({ ...makeBody("getprofilebyid", "12"), type: "x-api" });
    expect(byType.status).toMatchObject({ platform: "x", canonical_query: "x:12" });
    const problem = await refusal(
      makeBody("getprofilebyid", "https://x.com/ann"),
      "/v1/search/live/bluesky",
    );
    expect(problem).toMatchObject({ status: 400, code: "platform_mismatch" });
    expect(problem.errors[0].pointer).toBe("/arguments/query");
  });

  test("a method that does not search suggests the closest method and the platforms that support it", async () => {
    const problem = await refusal(makeBody("getspace", "1"), "/v1/search/live/bluesky");
    expect(problem).toMatchObject({ status: 422, code: "source_unavailable" });
    expect(problem.hint).toContain("Closest is gettweets");
    expect(problem.hint).toContain("use x for getspace");
  });
});

describe("a username without a platform", () => {
  beforeAll(async () => {
    const createdMs = service.clock.now() - 60_000;
    const postBy = (platform: Platform, username: string, userId: string | null): Post =>
      makePost({
        platform,
        username,
        userId,
        uri: platform === "x" ? `import:x:${username}` : `https://${username}/1`,
        createdMs,
        text: `written by ${username}`,
      });
    await service.addPosts([
      postBy("x", "getmasafi", null),
      postBy("mastodon", "mira@one.example", "1@one.example"),
      postBy("mastodon", "tom@one.example", "2@one.example"),
      postBy("mastodon", "tom@two.example", "2@two.example"),
    ]);
  });

  test("a username without a platform means the archived account of that name, on any platform", async () => {
    const imported = await run(makeBody("gettweets", "getmasafi"));
    expect(imported.status).toMatchObject({
      platform: "x",
      query: "getmasafi",
      canonical_query: "x:@getmasafi",
      warnings: expect.arrayContaining([expect.objectContaining({ code: "platform_assumed" })]),
    });
    const mira = await run(makeBody("getmedia", "@mira"));
    expect(mira.status).toMatchObject({
      platform: "mastodon",
      canonical_query: "@mira@one.example",
    });
  });

  test.each(["gettweets", "getmedia", "getprofilebyid"])(
    "a username is rejected by %s if several accounts match, with the form of each",
    async (method) => {
      const problem = await refusal(makeBody(method, "tom"));
      expect(problem).toMatchObject({ status: 400, code: "invalid_query" });
      const [{ code, expected }] = problem.errors;
      expect(code).toBe("ambiguous_user");
      expect(expected).toEqual(["@tom@one.example", "@tom@two.example"]);
    },
  );
});

test("any arguments of a method are accepted, or rejected with pointer and reason", async () => {
  const query = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom("@ann", "x:@ann", "20", "at://", "https://x.com/i/status/20", "@a@b.example"),
    fc.constantFrom("did:plc:ann", makeUri("t0"), "https://mas.to/@ann/1", "1YqKDqWqdPLsV", ""),
  );
  const submission = fc.record(
    {
      type: fc.constantFrom("social", "social", "social", "x-credential", "mastodon-api"),
      method: fc.constantFrom(...methodNames),
      query,
      more: fc.constantFrom({}, {}, { max_results: 3 }, { start_time: "2026-01-01" }, { count: 0 }),
      path: fc.constantFrom("social", "social", "social", "bluesky", "twitter"),
    },
    { requiredKeys: ["type", "method", "more", "path"] },
  );
  const used = { refused: 0, accepted: 0 };
  await fc.assert(
    fc.asyncProperty(submission, async ({ type, method, query, more, path }) => {
      const body = { type, arguments: { type: method, query, ...more } };
      const response = await service.submit(key, body, `/v1/search/live/${path}`);
      if (response.statusCode === 202) {
        used.accepted += 1;
        return;
      }
      used.refused += 1;
      expect([400, 422]).toContain(response.statusCode);
      const { errors, detail } = response.json();
      const [{ pointer = "/arguments/query", offset = 0 }] = errors;
      expect(pointer).toMatch(/^\/(type|arguments\/\w+)$/);
      expect(offset).toBeLessThanOrEqual([...(query ?? "")].length);
      expect(detail.length).toBeLessThan(2_000);
    }),
    { numRuns: 150 },
  );
  expect(Math.min(used.refused, used.accepted)).toBeGreaterThan(0);
});

describe("the ID of a record", () => {
  test("the ID of a platform's post resolves for the account that received it and for no other", async () => {
    bluesky.answers.gettweets = timeline.slice(0, 1);
    const received = await run(makeBody("gettweets", "@author.example.com"));
    const id = received.records[0].ID;
    const found = await run(makeBody("getretweeters", id), "/v1/search/live/bluesky");
    expect(found.status).toMatchObject({ canonical_query: makeUri("t0"), warnings: [] });
    expect(bluesky.calls.at(-1)?.target).toMatchObject({ kind: "post", uri: makeUri("t0") });

    const outsider = await service.makeKey();
    const unknown = await run(makeBody("getretweeters", id), undefined, outsider);
    expect(statusCodes(unknown.status)).toEqual(["unknown_id"]);
    expect(bluesky.calls.at(-1)?.target).toMatchObject({ uri: null, id });
  });

  test("the ID of an archived post resolves for every account", async () => {
    await service.addPosts([makePost({ key: "archived", text: "an archived comet" })]);
    const search = makeBody("searchbyfullarchive", "archived");
    const id = (await run(search)).records[0].ID;
    const { status, records } = await run(makeBody("getbyid", id));
    expect(records).toMatchObject([{ ID: id, Content: "an archived comet" }]);
    expect(status).toMatchObject({
      platform: "bluesky",
      canonical_query: makeUri("archived"),
      sources: [{ via: "archive", count: 1 }],
    });
    expect(bluesky.calls).toEqual([]);
  });
});

describe("posts that a platform returned", () => {
  test("posts that a platform returned are omitted once they are deleted or hidden, while the count stays", async () => {
    const repost = post({
      uri: "at://did:plc:fan/app.bsky.feed.repost/r",
      userId: "did:plc:fan",
      isRepost: true,
      reposted: { id: null, uri: makeUri("gone"), username: null, userId: "did:plc:author" },
    });
    const hidden = post({ uri: "at://did:plc:bad/app.bsky.feed.post/1", userId: "did:plc:bad" });
    bluesky.answers.gettweets = [post({ key: "gone" }), post({ key: "kept" }), repost, hidden];
    const { uuid, records } = await run(makeBody("gettweets", "@author.example.com"));
    expect(records).toHaveLength(4);
    await service.context.archive.write({
      changes: [
        { kind: "delete", platform: "bluesky", uri: makeUri("gone"), revision: "3zz" },
        {
          kind: "account",
          platform: "bluesky",
          userId: "did:plc:bad",
          status: "takendown",
          observedMs: service.clock.now(),
        },
      ],
    });
    const after = await service.result(key, uuid);
    const uris = after.json().map(({ Metadata }: { Metadata: { uri: string } }) => Metadata.uri);
    expect(uris).toEqual([makeUri("kept")]);
    const url = `/v1/search/live/social/status/${uuid}`;
    expect((await service.call(key, { method: "GET", url })).json().count).toBe(4);
  });

  test("posts that a platform returned contain only IDs where the platform requires it", async () => {
    x.answers.gettweets = [
      post({ platform: "x", nativeId: 20n, userId: "12", username: "jack", text: "a secret" }),
    ];
    const { status, records, result } = await run(makeBody("gettweets", "x:12"));
    expect(records).toMatchObject([
      { ID: "20", Content: "", Metadata: { kind: "ids", user_id: "12", username: "" } },
    ]);
    expect(result.body).not.toContain("secret");
    expect(statusCodes(status)).toEqual(["ids_only"]);
  });

  test("if the platform fails, the result is an error that names the platform and the fix", async () => {
    bluesky.answers.gettrends = new EarshotError("upstream_failed", "bsky returned 503", {
      status: 502,
      hint: "retry later",
    });
    const submitted = await service.submit(key, makeBody("gettrends", undefined));
    const { uuid } = submitted.json();
    const result = await service.result(key, uuid);
    expect(result.json()).toMatchObject({
      status: 502,
      code: "upstream_failed",
      detail: "bsky returned 503",
      hint: "retry later",
    });
    const url = `/v1/search/live/social/status/${uuid}`;
    const status = (await service.call(key, { method: "GET", url })).json();
    expect(status).toMatchObject({
      status: "error",
      error: "bsky returned 503; retry later",
    });
  });
});

describe("a method in one request", () => {
  const call = (body: object, accept = "application/json") =>
    service.call(key, {
      method: "POST",
      url: "/v1/search/social",
      headers: { "content-type": "application/json", accept },
      payload: JSON.stringify(body),
    });
  const followers = makeBody("getfollowers", "@author.example.com");

  beforeEach(() => {
    bluesky.answers.getfollowers = [{ kind: "profile", profile: makeProfile() }];
  });

  test("profiles in one request have their own CSV columns", async () => {
    const { body } = await call(followers, "text/csv");
    const [names = "", row] = body.split("\r\n");
    expect(names).toContain("Metadata.public_metrics.followers_count");
    expect(names).not.toContain("like_count");
    expect(row).toContain("did:plc:author,2024-01-01T00:00:00Z,bluesky,author.example.com");
  });

  test("profiles in one request have their own Markdown form", async () => {
    const { body } = await call(followers, "text/markdown");
    expect(body).toContain("# getfollowers: `bluesky:@author.example.com`\n\n1 account. ");
    expect(body).toContain("The platform has no more.");
    expect(body).toContain("1. `@author.example.com` · `An author` · since 2024-01-01T00:00:00Z");
    expect(body).toContain(">     writes");
  });

  test("fields of a profile in one request can be selected", async () => {
    const fields = ["ID", "Metadata.public_metrics.followers_count"];
    const { results, citations } = (await call({ ...followers, fields })).json();
    expect(results).toEqual([
      { ID: "did:plc:author", Metadata: { public_metrics: { followers_count: 3 } } },
    ]);
    expect(citations[0]).toMatchObject({ id: "did:plc:author", author: "author.example.com" });
  });

  test("records beyond the size limit are in the job's result, as the response reports", async () => {
    bluesky.answers.gettweets = timeline;
    const body = {
      ...makeBody("gettweets", "@author.example.com", { max_results: 3 }),
      max_chars: 200,
    };
    const answer = (await call(body)).json();
    expect(answer.results).toHaveLength(2);
    expect(answer.truncated.omitted).toBe(1);
    expect(statusCodes(answer)).toEqual(["left_out"]);
    const next = { ...body, arguments: { ...body.arguments, next_cursor: answer.next_cursor } };
    expect((await call(next)).json().results[0].Content).toMatch(/^post 3/);
    expect((await service.result(key, answer.uuid)).json()).toHaveLength(3);
  });
});
