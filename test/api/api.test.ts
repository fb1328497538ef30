import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Platform } from "../../src/posts/post.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

function postOf(key: string, text: string, createdMs: number, platform: Platform = "bluesky") {
  const createdAt = new Date(createdMs).toISOString();
  return makePost({ key, text, createdMs, createdAt, platform, langs: ["en"] });
}

let service: ServiceUnderTest;
let key: string;
const minute = 60_000;
const day = 86_400_000;

beforeAll(async () => {
  service = await startServiceUnderTest();
  key = await service.makeKey();
  const now = service.clock.now();
  await service.addPosts([
    ...Array.from({ length: 130 }, (_, index) =>
      postOf(`comet${index}`, `comet number ${index}`, now - minute * (index + 1)),
    ),
    postOf("old", "comet of last month", now - 30 * day),
    postOf("mast", "comet seen from the fediverse", now - 10 * minute, "mastodon"),
  ]);
});
afterAll(() => service.remove());

async function readUuid(body: unknown, path?: string): Promise<string> {
  const response = await service.submit(key, body, path);
  expect(response.statusCode, response.body).toBe(202);
  return response.json().uuid;
}

async function readRecords(body: unknown): Promise<{ ID: string; Content: string }[]> {
  const response = await service.result(key, await readUuid(body));
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

async function fetchStatus(uuid: string) {
  const url = `/v1/search/live/social/status/${uuid}?wait=30`;
  const response = await service.call(key, { method: "GET", url });
  expect(response.statusCode).toBe(200);
  return response.json();
}

async function refusal(body: unknown, path?: string) {
  const response = await service.submit(key, body, path);
  expect(response.headers["content-type"]).toContain("application/problem+json");
  const problem = response.json();
  expect(problem).toMatchObject({ uuid: "", status: response.statusCode });
  expect(problem.error).toBe(problem.detail);
  expect(problem.error).not.toContain("\n");
  expect(problem.type).toBe(`/docs/errors/${problem.code}`);
  return problem;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("submit", () => {
  test("a submission returns 202 with uuid, an empty error, Location and Retry-After", async () => {
    const response = await service.submit(key, search("comet"));
    expect(response.statusCode).toBe(202);
    const body = response.json();
    expect(Object.keys(body)).toEqual(["uuid", "error"]);
    expect(body.uuid).toMatch(uuidForm);
    expect(body.error).toBe("");
    expect(response.headers.location).toBe(`/v1/search/live/social/result/${body.uuid}`);
    expect(response.headers["retry-after"]).toBe("1");
    expect(response.headers["x-request-id"]).toMatch(uuidForm);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  test.each([
    "social",
    "social-credential",
    "social-api",
    "social-scraper",
    "social-api-scraper",
    "social-credential-scraper",
    "bluesky-api",
    "twitter-credential-scraper",
    "x",
    "mastodon",
  ])("a submission with type %s is accepted", async (type) => {
    const response = await service.submit(key, { ...search("comet"), type });
    expect(response.statusCode).toBe(202);
  });

  test("a submission treats a suffixed type as its plain form, and a platform type narrows the search", async () => {
    const status = await fetchStatus(
      await readUuid({ ...search("comet"), type: "social-api-scraper" }),
    );
    expect(status).toMatchObject({ platform: "social", type: "social-api" });
    const narrowed = await fetchStatus(await readUuid({ ...search("comet"), type: "twitter" }));
    expect(narrowed).toMatchObject({ platform: "x", type: "social", count: 0 });
  });

  test("a submission searches only the platform in the path", async () => {
    const uuid = await readUuid(search("comet", { max_results: 100 }), "/v1/search/live/mastodon");
    const records = (await service.result(key, uuid)).json();
    expect(records.map((record: { Content: string }) => record.Content)).toEqual([
      "comet seen from the fediverse",
    ]);
  });

  test("a submission treats x and twitter as one platform, in path and body", async () => {
    await readUuid({ ...search("comet"), type: "twitter-api" }, "/v1/search/live/x");
    await readUuid({ ...search("comet"), type: "x" }, "/v1/search/live/twitter");
  });

  test("a submission with different platforms in path and body is rejected", async () => {
    const body = { ...search("comet"), type: "bluesky" };
    expect(await refusal(body, "/v1/search/live/x")).toMatchObject({
      status: 400,
      code: "platform_mismatch",
    });
  });

  test("a submission that needs a credential searches only the archive without one, as the status warns", async () => {
    const status = await fetchStatus(
      await readUuid({ ...search("comet"), type: "social-credential" }),
    );
    expect(status.status).toBe("done");
    expect(status.warnings.map((warning: { code: string }) => warning.code)).toContain(
      "no_credential",
    );
  });
});

describe("a rejected submission", () => {
  test.each([
    [search("comet", { max_results: 101 }), /1 to 100/],
    [search("comet", { max_results: 0 }), /1 to 100/],
    [search("comet", { max_results: 501, type: "searchbyfullarchive" }), /1 to 500/],
    [search("comet", { max_results: -1 }), /1 to 100/],
  ])("a rejected submission's error names the allowed range: %j", async (body, bound) => {
    const problem = await refusal(body);
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.detail).toMatch(bound);
    expect(problem.errors[0].pointer).toBe("/arguments/max_results");
  });

  test("a rejected submission's error points to count when count is out of range", async () => {
    const problem = await refusal(search("comet", { count: 101 }));
    expect(problem.errors[0].pointer).toBe("/arguments/count");
  });

  test.each(['"20"', "20.5", "true", "[20]"])(
    "a submission with max_results %s, which is not a whole number, is rejected",
    async (n) => {
      const body = `{"type":"social","arguments":{"type":"searchbyquery","query":"comet","max_results":${n}}}`;
      const problem = await refusal(body);
      expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
      expect(problem.errors[0].pointer).toBe("/arguments/max_results");
    },
  );

  test.each(["1.0", "1e2"])(
    "a submission with max_results %s is accepted as a whole number",
    async (n) => {
      const body = `{"type":"social","arguments":{"type":"searchbyquery","query":"comet","max_results":${n}}}`;
      expect((await service.submit(key, body)).statusCode).toBe(202);
    },
  );

  test("a rejected submission's error suggests the nearest name for an unknown argument", async () => {
    const problem = await refusal(search("comet", { max_result: 5 }));
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.errors[0].pointer).toBe("/arguments/max_result");
    expect(problem.detail).toContain("max_results");
  });

  test("a rejected submission's error suggests the nearest name for an unknown method or type", async () => {
    const method = await refusal(search("comet", { type: "searchbyquerry" }));
    expect(method.detail).toContain('"searchbyquery"');
    expect(method.errors[0].pointer).toBe("/arguments/type");
    const type = await refusal({ ...search("comet"), type: "socail" });
    expect(type.detail).toContain('"social"');
    expect(type.errors[0].pointer).toBe("/type");
  });

  test.each([
    ["no body at all", ""],
    ["no JSON", "{"],
    ["an array", "[]"],
    ["null", "null"],
    ["no arguments", '{"type":"social"}'],
    ["no type", '{"arguments":{"type":"searchbyquery","query":"a"}}'],
    ["a poisoned prototype", '{"__proto__":{"type":"social"}}'],
  ])("a submission returns 400 for %s", async (_, body) => {
    expect((await refusal(body)).status).toBe(400);
  });

  test.each(["", "   "])("a submission requires a non-empty query: %j", async (query) => {
    const problem = await refusal(search(query));
    expect(problem.errors[0]).toMatchObject({
      code: "query_required",
      pointer: "/arguments/query",
    });
  });

  test("the error for a malformed operand locates it in code points and explains how to fix it", async () => {
    const problem = await refusal(search("\u{1f600} since:2024-13-01"));
    expect(problem).toMatchObject({ status: 400, code: "invalid_query" });
    expect(problem.errors[0].offset).toBeGreaterThanOrEqual(2);
    expect(problem.errors[0].offset).toBeLessThan(17);
    expect(problem.errors[0].message).not.toBe("");
  });

  test("the query length of a submission is limited in characters, depending on the method", async () => {
    // Each character takes two UTF-16 units.
    const words = (length: number): string =>
      Array.from({ length }, (_, index) => (index % 9 === 8 ? " " : "\u{10428}")).join("");
    expect((await refusal(search(words(1_025)))).errors[0].code).toBe("query_too_long");
    const archive = { type: "searchbyfullarchive" };
    await readUuid(search(`"${words(1_500)}"`, archive));
    expect((await refusal(search("a".repeat(4_097), archive))).code).toBe("invalid_query");
  });

  test.each(["yesterday", "2026-02-30", "2026-01-01T12:00:00", 5])(
    "a submission with start_time %j is rejected",
    async (start) => {
      const problem = await refusal(search("comet", { start_time: start }));
      expect(problem.errors[0].pointer).toBe("/arguments/start_time");
    },
  );

  test("a submission accepts only newest as the sort", async () => {
    await readUuid(search("comet", { sort: "newest" }));
    expect((await refusal(search("comet", { sort: "top" }))).errors[0].pointer).toBe(
      "/arguments/sort",
    );
  });

  test("the error for an unsupported pair of type and method lists the supported methods", async () => {
    const body = { type: "social-api", arguments: { type: "gettrends" } };
    const problem = await refusal(body);
    expect(problem).toMatchObject({ status: 400, code: "method_not_supported" });
    expect(problem.errors[0].expected).toEqual([
      "searchbyquery",
      "getbyid",
      "getprofilebyid",
      "searchbyfullarchive",
    ]);
  });

  test.each([
    ["social-credential", "getfollowers", "x:@ann"],
    ["social", "getfollowing", "x:@ann"],
    ["social", "gethometweets", undefined],
    ["social", "getspace", "1"],
  ])("%s %s has no source and returns 422", async (type, method, query) => {
    const problem = await refusal({ type, arguments: { type: method, query } });
    expect(problem).toMatchObject({ status: 422, code: "source_unavailable" });
    expect(problem.hint).toContain("credential");
  });

  test.each([
    ["getbyid", "x:20"],
    ["getreplies", "x:20"],
    ["getretweeters", "x:20"],
    ["gettweets", "x:@ann"],
    ["getmedia", "x:@ann"],
    ["getprofilebyid", "x:12"],
    ["searchbyprofile", "x:@ann"],
    ["gettrends", undefined],
  ])("%s without a platform source is answered from the archive", async (method, query) => {
    const status = await fetchStatus(
      await readUuid({ type: "social", arguments: { type: method, query } }),
    );
    expect(status).toMatchObject({ status: "done", count: 0, complete: false });
    expect(status.warnings[0].code).toBe("no_credential");
  });

  test("a submission without a query returns an error when the method needs one", async () => {
    const problem = await refusal({ type: "social", arguments: { type: "getbyid", query: "" } });
    expect(problem.errors[0].code).toBe("query_required");
  });

  test("large, compressed and non-JSON bodies of submissions are rejected", async () => {
    expect(await refusal(search("a".repeat(70_000)))).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
    const url = "/v1/search/live/social";
    for (const headers of [
      { "content-type": "application/json", "content-encoding": "gzip" },
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
    ]) {
      const response = await service.call(key, { method: "POST", url, headers, payload: "{}" });
      expect(response.statusCode).toBe(415);
      expect(response.json()).toMatchObject({ code: "unsupported_media_type", uuid: "" });
    }
  });
});

describe("result", () => {
  test("a result is a bare array of records with the four fields, newest first", async () => {
    const records = await readRecords(search("comet", { max_results: 5 }));
    expect(records).toHaveLength(5);
    for (const record of records) {
      expect(Object.keys(record)).toEqual(["ID", "Content", "Metadata", "Score"]);
      expect(record.ID).toMatch(/^\d+$/);
    }
    expect(records.map((record) => record.Content)).toEqual([
      "comet number 0",
      "comet number 1",
      "comet number 2",
      "comet number 3",
      "comet number 4",
    ]);
    const ids = records.map((record) => BigInt(record.ID));
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? 1 : -1)));
  });

  test("a result has 20 posts by default, and count is an alias for max_results", async () => {
    expect(await readRecords(search("comet"))).toHaveLength(20);
    expect(await readRecords(search("comet", { count: 7 }))).toHaveLength(7);
    expect(await readRecords(search("comet", { count: 7, max_results: 3 }))).toHaveLength(3);
  });

  test("a result is an empty array when nothing matches", async () => {
    const response = await service.result(key, await readUuid(search("nosuchword")));
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("[]");
    expect(response.headers["x-next-cursor"]).toBeUndefined();
  });

  test("a post from before the live window is found by a full-archive search but not by a live search", async () => {
    expect(await readRecords(search("last month"))).toEqual([]);
    const all = await readRecords(search("last month", { type: "searchbyfullarchive" }));
    expect(all).toHaveLength(1);
  });

  test("a result is limited by start_time, inclusive, and end_time, exclusive", async () => {
    const records = await readRecords(search("comet number", { max_results: 100 }));
    expect(records).toHaveLength(100);
    const times = records.map((record) => Reflect.get(record, "Metadata").created_at);
    const narrowed = await readRecords(
      search("comet number", { start_time: times[9], end_time: times[5], max_results: 100 }),
    );
    expect(narrowed.map((record) => record.Content)).toEqual(
      records.slice(6, 10).map((record) => record.Content),
    );
  });

  test("a result is empty when the end is before the live window, and suggests the full archive", async () => {
    const until = new Date(service.clock.now() - 8 * day).toISOString();
    for (const body of [
      search("comet", { end_time: until }),
      search(`comet until:${until.slice(0, 10)}`),
    ]) {
      const uuid = await readUuid(body);
      const status = await fetchStatus(uuid);
      expect(status).toMatchObject({ count: 0, complete: false });
      expect(status.coverage).toMatchObject({
        from: null,
        complete: false,
        gaps: [{ from: null, to: status.coverage.to }],
      });
      expect(Date.parse(status.coverage.to)).toBeLessThan(service.clock.now() - 7 * day);
      const response = await service.result(key, uuid);
      expect(response.headers["x-coverage"]).toMatch(/^complete=\?0, to="[^"]+", gaps=1$/);
      const warning = status.warnings.find(
        ({ code }: { code: string }) => code === "outside_live_window",
      );
      expect(warning.hint).toContain("searchbyfullarchive");
    }
  });

  test("a result warns on every page when start_time is before the live window", async () => {
    const readCodes = async (body: object): Promise<readonly string[]> =>
      (await fetchStatus(await readUuid(body))).warnings.map(({ code }: { code: string }) => code);
    const since = new Date(service.clock.now() - 8 * day).toISOString();
    const within = new Date(service.clock.now() - day).toISOString();
    const cut = search("comet", { start_time: since, max_results: 5 });

    const first = await readUuid(cut);
    const { warnings, coverage, complete, next_cursor: cursor } = await fetchStatus(first);
    expect(complete).toBe(false);
    expect(coverage.from).toBe(since);
    expect(coverage.gaps[0].from).toBe(since);
    expect(warnings).toContainEqual({
      code: "cut_to_live_window",
      message: expect.stringContaining("not searched"),
      hint: expect.stringContaining("searchbyfullarchive"),
    });
    expect(await readCodes(search("comet", { next_cursor: cursor }))).toContain(
      "cut_to_live_window",
    );
    expect(await readCodes(search(`comet since:${since.slice(0, 10)}`))).toContain(
      "cut_to_live_window",
    );
    for (const body of [
      search("comet", { start_time: within }),
      search(`comet since:${since.slice(0, 10)}`, { start_time: within }),
      search("comet", { start_time: since, type: "searchbyfullarchive" }),
    ]) {
      expect(await readCodes(body)).not.toContain("cut_to_live_window");
    }
  });

  test("a result neither repeats nor skips posts between pages while posts arrive", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let page = 0;
    do {
      const more = cursor === undefined ? {} : { next_cursor: cursor };
      const uuid = await readUuid(search("comet number", { max_results: 30, ...more }));
      const response = await service.result(key, uuid);
      expect(response.statusCode, response.body).toBe(200);
      seen.push(...response.json().map((record: { Content: string }) => record.Content));
      cursor = response.headers["x-next-cursor"]?.toString();
      page += 1;
      await service.addPosts([
        postOf(`late${page}`, `comet number late ${page}`, service.clock.now()),
      ]);
    } while (cursor !== undefined && page < 20);
    expect(seen).toEqual(Array.from({ length: 130 }, (_, index) => `comet number ${index}`));
  });

  test("a cursor of another search, account or window is rejected, but max_results may change", async () => {
    const uuid = await readUuid(search("comet", { max_results: 5 }));
    const cursor = (await service.result(key, uuid)).headers["x-next-cursor"];
    expect((await fetchStatus(uuid)).next_cursor).toBe(cursor);
    await readUuid(search("comet", { max_results: 50, next_cursor: cursor }));

    const other = { next_cursor: cursor };
    for (const body of [
      search("comets", other),
      search("comet", { ...other, type: "searchbyfullarchive" }),
      { ...search("comet", other), type: "social-api" },
      { ...search("comet", other), type: "bluesky" },
      search("comet", { ...other, start_time: new Date(service.clock.now()).toISOString() }),
      search("comet", { ...other, start_time: "2010-01-01", end_time: "2100-01-01" }),
    ]) {
      expect(await refusal(body)).toMatchObject({ status: 400, code: "cursor_mismatch" });
    }
    const outsider = await service.makeKey();
    const response = await service.submit(outsider, search("comet", other));
    expect(response.json()).toMatchObject({ status: 400, code: "cursor_mismatch" });
    expect(await refusal(search("comet", { next_cursor: "nonsense" }))).toMatchObject({
      status: 400,
      code: "cursor_invalid",
    });
  });

  test("a cursor is accepted with the time bounds of its first search or without bounds", async () => {
    const bounds = { start_time: "2010-01-01", end_time: "2100-01-01" };
    const type = "searchbyfullarchive";
    const continued = { type, max_results: 2 };
    const first = await readUuid(search("comet", { ...continued, ...bounds }));
    let cursor = (await service.result(key, first)).headers["x-next-cursor"];
    for (const repeated of [bounds, {}, { start_time: bounds.start_time }, bounds]) {
      const body = search("comet", { ...continued, ...repeated, next_cursor: cursor });
      cursor = (await service.result(key, await readUuid(body))).headers["x-next-cursor"];
      expect(cursor).toBeDefined();
    }
    for (const other of [{ start_time: "2009-01-01" }, { ...bounds, end_time: "2099-01-01" }]) {
      const body = search("comet", { ...continued, ...other, next_cursor: cursor });
      expect(await refusal(body)).toMatchObject({ status: 400, code: "cursor_mismatch" });
    }
  });

  test("a result without coverage reports in body and header that it may be incomplete", async () => {
    const uuid = await readUuid(search("nosuchword"));
    const response = await service.result(key, uuid);
    expect(response.headers["x-coverage"]).toMatch(
      /^complete=\?0, from="[^"]+Z", to="[^"]+Z", gaps=\d+$/,
    );
    const status = await fetchStatus(uuid);
    expect(status.complete).toBe(false);
    expect(status.coverage.gaps.length).toBeGreaterThan(0);
    expect(status.warnings.map((warning: { code: string }) => warning.code)).toContain(
      "incomplete_coverage",
    );
  });

  test("the result of another account's job, of an unknown uuid and of a malformed one returns the same 404", async () => {
    const uuid = await readUuid(search("comet"));
    const outsider = await service.makeKey();
    const bodies = new Set<string>();
    for (const kind of ["status", "result"]) {
      for (const id of [uuid, "0f8fad5b-d9cb-469f-a165-70867728950e", "nonsense"]) {
        for (const path of ["/v1/search/live/social", "/v1/search/live"]) {
          const url = `${path}/${kind}/${id}`;
          const response = await service.call(outsider, { method: "GET", url });
          expect(response.statusCode).toBe(404);
          bodies.add(JSON.stringify({ ...response.json(), request_id: "" }));
        }
      }
    }
    expect(bodies.size).toBe(1);
  });

  test("a result can be fetched with any platform in the path and with a uuid in capitals", async () => {
    const uuid = await readUuid(search("comet", { max_results: 1 }));
    const expected = (await service.result(key, uuid)).body;
    for (const path of ["/mastodon", "/x", "/twitter", ""]) {
      const url = `/v1/search/live${path}/result/${uuid.toUpperCase()}`;
      const response = await service.call(key, { method: "GET", url });
      expect(response.statusCode).toBe(200);
      expect(response.body).toBe(expected);
    }
  });

  test.each(["0", "31", "x", "1.5", ""])(
    "a request for a result with wait=%s is rejected",
    async (wait) => {
      const uuid = await readUuid(search("comet"));
      const url = `/v1/search/live/social/result/${uuid}?wait=${wait}`;
      const response = await service.call(key, { method: "GET", url });
      expect(response.statusCode).toBe(400);
      expect(response.json().errors[0].pointer).toBe("/wait");
    },
  );
});

describe("status", () => {
  test("the status has every field of a finished job, with times in ISO 8601", async () => {
    const uuid = await readUuid(search("comet lang:en", { max_results: 2 }));
    const status = await fetchStatus(uuid);
    expect(Object.keys(status)).toEqual([
      "uuid",
      "status",
      "error",
      "platform",
      "type",
      "method",
      "query",
      "canonical_query",
      "sources",
      "node",
      "evidence",
      "count",
      "complete",
      "coverage",
      "warnings",
      "submitted_at",
      "started_at",
      "finished_at",
      "expires_at",
      "attempts",
      "next_cursor",
    ]);
    expect(status).toMatchObject({
      uuid,
      status: "done",
      error: "",
      platform: "social",
      type: "social",
      method: "searchbyquery",
      query: "comet lang:en",
      count: 2,
      attempts: 1,
    });
    for (const name of ["submitted_at", "started_at", "finished_at", "expires_at"]) {
      expect(new Date(status[name]).toISOString()).toBe(status[name]);
    }
    expect(status.sources.map((source: { via: string }) => source.via)).toContain("archive");
    expect(Date.parse(status.expires_at) - Date.parse(status.finished_at)).toBe(day);
  });

  test("the status suggests the method that finds older posts after an empty live search", async () => {
    const queryHints = async (query: string) => {
      const { warnings } = await fetchStatus(await readUuid(search(query)));
      return warnings.map(({ hint = "" }: { hint?: string }) => hint).join();
    };
    expect(await queryHints('"of last month"')).toContain(
      "use searchbyfullarchive for older posts",
    );
    expect(await queryHints("comet")).not.toContain("searchbyfullarchive");
  });

  test("the status includes the query's warnings", async () => {
    const status = await fetchStatus(await readUuid(search("comet re:invent")));
    expect(status.warnings[0]).toMatchObject({ offset: 6 });
  });
});

describe.each(["/v1/search/live/social", "/v1/search/live", "/v1/search/social"])(
  "a search submitted to %s",
  (path) => {
    const send = async (payload: unknown) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify(payload);
      const response = await service.call(key, {
        method: "POST",
        url: path,
        headers,
        payload: body,
      });
      const { uuid } = response.json();
      return { response, status: uuid === "" ? null : await fetchStatus(uuid) };
    };

    test.each([
      { type: "social", arguments: { query: "comet", max_results: 3 } },
      { query: "comet", max_results: 3 },
      { type: "social-scraper", query: "comet", count: 3 },
      { query: "comet", max_results: 3, start_time: "", end_time: null, next_cursor: "" },
      search("comet", { count: 3, start_time: null, end_time: "", next_cursor: null }),
      search("comet", { max_results: 3, count: 0 }),
    ])("%j is accepted as a search of the live window", async (body) => {
      const { response, status } = await send(body);
      expect(response.statusCode, response.body).toBeLessThan(300);
      expect(status).toMatchObject({
        platform: "social",
        type: "social",
        method: "searchbyquery",
        query: "comet",
        count: 3,
      });
    });

    test.each([
      [{ query: "comet", colour: "red" }, "/colour"],
      [{ ...search("comet"), query: "comet" }, "/query"],
      [{ query: "comet", max_results: 5000 }, "/max_results"],
      [{ query: "" }, "/query"],
      [{ query: null }, "/query"],
      [{ query: "comet", next_cursor: "no cursor" }, "/next_cursor"],
      [{ type: "social", query: "comet", sort: "top" }, "/sort"],
      [{ max_results: 5 }, "/query"],
      [{ type: "social" }, "/arguments"],
      [{ arguments: { query: "comet" } }, "/type"],
      [search("comet", { start_time: "yesterday" }), "/arguments/start_time"],
    ])("the body %j is rejected with a pointer", async (body, pointer) => {
      const { response } = await send(body);
      expect(response.statusCode, response.body).toBe(400);
      expect(response.json().errors[0]).toMatchObject({ pointer });
    });
  },
);

test("under an Idempotency-Key, a flat body and one with arguments are the same search", async () => {
  const submit = (payload: unknown) =>
    service.call(key, {
      method: "POST",
      url: "/v1/search/live/social",
      headers: { "content-type": "application/json", "idempotency-key": "flat" },
      payload: JSON.stringify(payload),
    });
  const first = await submit({ query: "comet", max_results: 3 });
  const again = await submit(search("comet", { max_results: 3 }));
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(again.json()).toEqual(first.json());
});

describe("paths without a platform", () => {
  const path = "/v1/search/live";

  test("paths without a platform reduce max_results of up to 1000 to the maximum, with a warning", async () => {
    const body = { ...search("comet", { max_results: 1000 }), type: "twitter" };
    const uuid = await readUuid(body, path);
    const response = await service.call(key, {
      method: "GET",
      url: `${path}/status/${uuid}?wait=30`,
    });
    expect(response.json()).toMatchObject({ status: "done", platform: "x" });
    expect(response.json().warnings.map((warning: { code: string }) => warning.code)).toContain(
      "max_results_lowered",
    );
    const result = await service.call(key, { method: "GET", url: `${path}/result/${uuid}` });
    expect(result.statusCode).toBe(200);
  });

  test("paths without a platform return 100 posts when 1000 are requested", async () => {
    const uuid = await readUuid(search("comet", { max_results: 1000 }), path);
    expect((await service.result(key, uuid)).json()).toHaveLength(100);
  });

  test("paths without a platform reject max_results above 1000", async () => {
    const problem = await refusal(search("comet", { max_results: 1001 }), path);
    expect(problem.detail).toContain("this path accepts 1 to 1000, and searchbyquery supports 100");
  });

  test("paths without a platform return a Location on the same path", async () => {
    const response = await service.submit(key, search("comet"), path);
    expect(response.headers.location).toBe(`/v1/search/live/result/${response.json().uuid}`);
  });
});

describe("search in one request", () => {
  const url = "/api/v1/data/social/tweets/recent";
  const request = (payload: unknown, path = url) =>
    service.call(key, {
      method: "POST",
      url: path,
      headers: { "content-type": "application/json" },
      payload: JSON.stringify(payload),
    });

  test("a search in one request returns the posts, their count and the node", async () => {
    const response = await request({ query: "comet", count: 3 });
    expect(response.statusCode, response.body).toBe(200);
    const body = response.json();
    expect(Object.keys(body)).toEqual(["data", "recordCount", "workerPeerId"]);
    expect(body.recordCount).toBe(3);
    expect(body.data).toHaveLength(3);
    expect(body.workerPeerId).not.toBe("");
  });

  test("a search in one request returns coverage and a cursor that a submission of the same search accepts", async () => {
    const response = await request({ query: "comet number", count: 3 });
    expect(response.headers["x-coverage"]).toMatch(/^complete=\?0, from=/);
    const cursor = response.headers["x-next-cursor"];
    const records = await readRecords(
      search("comet number", { max_results: 1, next_cursor: cursor }),
    );
    expect(records.map((record) => record.Content)).not.toContain(response.json().data[2].Content);
    expect(records).toHaveLength(1);
    expect((await request({ query: "nosuchword" })).headers["x-next-cursor"]).toBeUndefined();
  });

  test("a search in one request returns an empty list when nothing matches, and searches only the platform in the path", async () => {
    expect((await request({ query: "nosuchword" })).json()).toMatchObject({
      data: [],
      recordCount: 0,
    });
    const narrowed = await request({ query: "comet" }, url.replace("social", "mastodon"));
    expect(narrowed.json().recordCount).toBe(1);
  });

  test.each([
    [{ query: "comet", count: 101 }, "/count"],
    [{ query: "comet", count: 0 }, "/count"],
    [{ query: "" }, "/query"],
    [{ count: 5 }, "/query"],
    [{ query: "comet", max_results: 5 }, "/max_results"],
  ])("a search in one request rejects %j with an error and a pointer", async (payload, pointer) => {
    const response = await request(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).not.toBe("");
    expect(response.json().errors[0].pointer).toBe(pointer);
  });

  test("a search in one request requires a key", async () => {
    const response = await service.call(null, { method: "POST", url, payload: { query: "comet" } });
    expect(response.statusCode).toBe(401);
    expect(response.json().error).not.toBe("");
  });
});

describe("paths and methods", () => {
  test.each([
    ["GET", "/v1/search/live/social", "OPTIONS, POST"],
    ["DELETE", "/v1/search/live", "OPTIONS, POST"],
    [
      "POST",
      "/v1/search/live/social/result/0f8fad5b-d9cb-469f-a165-70867728950e",
      "DELETE, GET, HEAD, OPTIONS",
    ],
    [
      "PUT",
      "/v1/search/live/status/0f8fad5b-d9cb-469f-a165-70867728950e",
      "DELETE, GET, HEAD, OPTIONS",
    ],
    ["DELETE", "/v1/search/live/social/jobs", "GET, HEAD, OPTIONS"],
    ["POST", "/v1/search/live/jobs", "GET, HEAD, OPTIONS"],
    ["POST", "/v1/search/live/social/events", "GET, HEAD, OPTIONS"],
    ["PUT", "/api/v1/data/social/tweets/recent", "OPTIONS, POST"],
    ["POST", "/metrics", "GET, HEAD, OPTIONS"],
  ] as const)("the request %s %s returns 405 with Allow", async (method, url, allow) => {
    const response = await service.call(key, { method, url });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(response.json().code).toBe("method_not_allowed");
  });

  test.each([
    "/v1/search/live/social/",
    "/v1/search/live/",
    "/v1/search/live/socail",
    "/v1/search/live/socail/status/0f8fad5b-d9cb-469f-a165-70867728950e",
    "/v1/search/live/social/jobs/",
    "/v1/search/live/socail/jobs",
    "/v1/search/live/socail/events",
    "/api/v1/data/reddit/tweets/recent",
    "/nothing",
    "/v1/search/live/%zz",
  ])("the request POST %s returns 404", async (url) => {
    const response = await service.submit(key, search("comet"), url);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ status: 404, code: "not_found" });
  });

  test("HEAD returns the headers of GET without a body", async () => {
    const uuid = await readUuid(search("comet"));
    await service.result(key, uuid);
    const url = `/v1/search/live/social/result/${uuid}`;
    const response = await service.call(key, { method: "HEAD", url });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("");
    expect(response.headers["x-coverage"]).toBeDefined();
    expect((await service.call(null, { method: "HEAD", url: "/livez" })).statusCode).toBe(200);
  });
});

describe("operational routes", () => {
  test.each(["/livez", "/readyz", "/metrics", "/openapi.json", "/docs/errors"])(
    "the operational route %s needs no key and sends no rate-limit headers",
    async (url) => {
      const response = await service.call(null, { method: "GET", url });
      expect(response.statusCode, response.body).toBe(200);
      expect(response.headers.ratelimit).toBeUndefined();
    },
  );

  test("readyz reports the state of the archive and of the live stream", async () => {
    const response = await service.call(null, { method: "GET", url: "/readyz" });
    expect(response.json()).toMatchObject({
      status: "ready",
      archive: "answers",
      ingest: "off",
      ingest_status: "off",
    });
  });

  test("the metrics count jobs and requests by route and contain neither queries nor keys", async () => {
    await readRecords(search("comet secretword"));
    const { body } = await service.call(null, { method: "GET", url: "/metrics" });
    expect(body).toMatch(/earshot_submissions_total\{method="searchbyquery"\} [1-9]/);
    expect(body).toMatch(/earshot_jobs_ended_total\{method="searchbyquery",state="done"\} [1-9]/);
    expect(body).toContain('route="/v1/search/live/:platform"');
    expect(body).not.toContain("secretword");
    expect(body).not.toContain(key);
  });
});
