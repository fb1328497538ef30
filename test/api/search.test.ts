import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildApp } from "../../src/http/app.ts";
import type { Job } from "../../src/jobs/job.ts";
import type { SubmittedJob } from "../../src/jobs/submissions/submission.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import type { Post } from "../../src/posts/post.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const minute = 60_000;
const hostileText =
  '=HYPERLINK("http://evil.example","a")\n> # | `x` ``` <b>&amp;</b>\r\n\u202eשלום\0\ud800 👩‍👩‍👧';

/** A post of the examples in docs/api.md. */
function documentedPost(
  name: string,
  key: string,
  createdAt: string,
  text: string,
  likes: number | null,
) {
  const userId = `did:plc:${name}`;
  const uri = `at://${userId}/app.bsky.feed.post/${key}`;
  const createdMs = Date.parse(createdAt);
  const counts = { likes, reposts: null, replies: null, quotes: null };
  return makePost({ uri, userId, username: `${name}.example`, createdAt, createdMs, text, counts });
}

let service: ServiceUnderTest;
let key: string;

beforeAll(async () => {
  service = await startServiceUnderTest();
  key = await service.makeKey();
  const now = service.clock.now();
  const postOf = (key: string, minutesAgo: number, overrides: Partial<Post>) => {
    const createdMs = now - minute * minutesAgo;
    return makePost({ key, createdMs, createdAt: new Date(createdMs).toISOString(), ...overrides });
  };
  await service.addPosts([
    ...Array.from({ length: 5 }, (_, index) =>
      postOf(`comet${index}`, index + 1, {
        text: `comet number ${index}`,
        hashtags: ["sky", "night"],
        counts: { likes: index, reposts: 0, replies: null, quotes: null },
      }),
    ),
    ...Array.from({ length: 6 }, (_, index) =>
      postOf(`long${index}`, index + 1, {
        text: `essay ${index} ${"word ".repeat(index % 2 === 0 ? 200 : 4)}end`,
      }),
    ),
    postOf("hostile", 20, {
      text: `hostile ${hostileText}`,
      username: "@evil`name",
      authorName: "=1+1",
      url: "javascript:alert(1)",
    }),
    postOf("formula", 21, { text: "=1+1 formula", authorName: "-2+3" }),
    documentedPost("ann", "3lk7", "2026-01-31T11:59:00Z", "A comet over the bay", 3),
    documentedPost(
      "bob",
      "3lk5",
      "2026-01-31T11:40:00Z",
      "Comet tonight?\nLook west after nine.",
      null,
    ),
    postOf("linked", 22, { text: "linked", url: "https://bsky.app/profile/a/post/1" }),
  ]);
});
afterAll(() => service.remove());

describe("the examples of docs/api.md", () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Search in one call\n([\s\S]*?)^## /m.exec(page) ?? [];
  const examples = [
    ...section.matchAll(/```sh\n(curl [\s\S]*?)\n```\n\n```(\w+)\n([\s\S]*?)\n```/g),
  ].map(([, command = "", form = "", answer = ""]) => ({ command, form, answer }));
  const masked = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid")
      .replaceAll(/"\d{19}"/g, '"id"');

  test("the examples of docs/api.md are in JSON, CSV and Markdown", () => {
    expect(examples.map(({ form }) => form)).toEqual(["json", "csv", "markdown"]);
  });

  test.each(examples)(
    "the example $form of docs/api.md is answered as documented",
    async ({ command, form, answer }) => {
      await service.context.archive.write({
        changes: [],
        coverage: [
          {
            platform: "bluesky",
            collection: "posts",
            account: null,
            source: "import",
            fromMs: Date.parse("2026-01-24"),
            toMs: Date.parse("2026-02-01"),
          },
        ],
      });
      const [, body = ""] = /-d '([^']*)'/.exec(command) ?? [];
      const [, accept] = /'Accept: ([^']*)'/.exec(command) ?? [];
      const actual = await readAnswer(JSON.parse(body), accept);
      if (form === "json") {
        expect(JSON.parse(masked(actual.body))).toEqual(JSON.parse(masked(answer)));
      } else {
        expect(masked(actual.body).replaceAll("\r\n", "\n").trimEnd()).toBe(masked(answer));
      }
    },
  );
});

type Options = { accept?: string; path?: string; headers?: Record<string, string>; key?: string };

async function request(body: unknown, options: Options = {}) {
  const { accept, path = "/v1/search/social", headers = {} } = options;
  return await service.call(options.key ?? key, {
    method: "POST",
    url: path,
    headers: {
      "content-type": "application/json",
      ...(accept === undefined ? {} : { accept }),
      ...headers,
    },
    payload: JSON.stringify(body),
  });
}

async function readAnswer(body: unknown, accept?: string) {
  const response = await request(body, accept === undefined ? {} : { accept });
  expect(response.statusCode, response.body).toBe(200);
  return response;
}

const essays = (fields: Record<string, unknown> = {}, args: Record<string, unknown> = {}) => ({
  ...search("essay", args),
  ...fields,
});

describe("the JSON answer", () => {
  test("the JSON answer has the records of the result, the coverage and warnings of the status, and citations", async () => {
    const response = await readAnswer(search("linked"));
    const body = response.json();
    expect(Object.keys(body)).toEqual([
      "uuid",
      "status",
      "results",
      "next_cursor",
      "complete",
      "coverage",
      "sources",
      "warnings",
      "canonical_query",
      "citations",
      "truncated",
    ]);
    expect(body).toMatchObject({ status: "done", next_cursor: null, complete: false });
    const result = await service.result(key, body.uuid);
    expect(body.results).toEqual(result.json());
    const url = `/v1/search/live/social/status/${body.uuid}`;
    const status = (await service.call(key, { method: "GET", url })).json();
    for (const name of ["coverage", "warnings", "canonical_query", "complete", "next_cursor"]) {
      expect(body[name]).toEqual(status[name]);
    }
    const [record] = body.results;
    expect(body.citations).toEqual([
      {
        id: record.ID,
        url: "https://bsky.app/profile/a/post/1",
        author: "author.example.com",
        created_at: record.Metadata.created_at,
      },
    ]);
    expect(body.truncated).toEqual({ shortened: [], omitted: 0 });
    expect(response.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      vary: "Accept",
      "x-job-uuid": body.uuid,
      "x-coverage": result.headers["x-coverage"],
    });
    expect(response.headers["x-truncated"]).toBeUndefined();
    expect(response.headers["x-warnings"]).toContain('"incomplete_coverage"');
  });

  test("the JSON answer continues with its cursor, in searches and in submissions", async () => {
    const first = (await readAnswer(search("comet", { max_results: 2 }))).json();
    const rest = search("comet", { max_results: 3, next_cursor: first.next_cursor });
    const second = (await readAnswer(rest)).json();
    const texts = [...first.results, ...second.results].map(({ Content }) => Content);
    expect(texts).toEqual([0, 1, 2, 3, 4].map((number) => `comet number ${number}`));
    expect((await service.submit(key, rest)).statusCode).toBe(202);
  });

  test("a JSON search accepts a platform in the path, twitter for x, and the full archive as method", async () => {
    const body = search('"comet number"', { type: "searchbyfullarchive", max_results: 500 });
    expect((await request(body, { path: "/v1/search/bluesky" })).json().results).toHaveLength(5);
    for (const path of ["/v1/search/x", "/v1/search/twitter", "/v1/search/mastodon"]) {
      expect((await request(body, { path })).json().results).toEqual([]);
    }
    const other = await request({ ...body, type: "bluesky" }, { path: "/v1/search/x" });
    expect(other.json()).toMatchObject({ status: 400, code: "platform_mismatch", uuid: "" });
  });
});

describe("fields", () => {
  test("the fields parameter selects members of each record, at their usual path", async () => {
    const fields = [
      "Metadata.username",
      "Content",
      "Metadata.public_metrics.like_count",
      "Metadata.geo.lat",
    ];
    const body = (await readAnswer({ ...search("number 3"), fields })).json();
    expect(body.results).toEqual([
      {
        Metadata: { username: "author.example.com", public_metrics: { like_count: 3 }, geo: null },
        Content: "comet number 3",
      },
    ]);
    expect(body.citations).toHaveLength(1);
  });

  test("the fields parameter includes all of an object when one selected field contains another", async () => {
    const fields = ["Metadata.username", "Metadata", "ID"];
    const [record] = (await readAnswer({ ...search("number 3"), fields })).json().results;
    expect(Object.keys(record)).toEqual(["Metadata", "ID"]);
    expect(Object.keys(record.Metadata).length).toBeGreaterThan(20);
  });

  test.each([
    ["Metadata.usernam", "Metadata.username"],
    ["username", "Metadata.username"],
    ["content", "Content"],
    ["Metadata.like_count", "Metadata.public_metrics.like_count"],
    ["__proto__", "expected ID, Content"],
    ["Metadata.media.url", "Metadata.url"],
  ])("the fields parameter rejects %s and suggests the nearest", async (field, nearest) => {
    const response = await request({ ...search("comet"), fields: ["ID", field] });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors).toEqual([
      { code: "unknown_value", message: expect.stringContaining(nearest), pointer: "/fields/1" },
    ]);
  });

  test.each([[[]], ["Content"], [[1]], [null], [["ID", "ID"]]])(
    "the fields parameter rejects %j as a list of fields",
    async (fields) => {
      const response = await request({ ...search("comet"), fields });
      expect(response.statusCode).toBe(400);
      expect(response.json().errors[0].pointer).toMatch(/^\/fields/);
    },
  );
});

describe("max_chars", () => {
  const count = (results: readonly { Content: string }[]) =>
    results.reduce((sum, { Content }) => sum + [...Content].length, 0);

  test("the max_chars parameter shortens long texts, leaves short ones whole and reports which it shortened", async () => {
    const whole = (await readAnswer(essays())).json();
    const response = await readAnswer(essays({ max_chars: 1_000 }));
    const body = response.json();
    expect(body.results).toHaveLength(6);
    expect(count(body.results)).toBeLessThanOrEqual(1_000);
    expect(count(body.results)).toBeGreaterThan(900);
    for (const [index, { ID, Content }] of body.results.entries()) {
      const { Content: before } = whole.results[index];
      const isLong = index % 2 === 0;
      expect(body.truncated.shortened.includes(ID)).toBe(isLong);
      expect(Content === before).toBe(!isLong);
      if (isLong) expect(Content).toMatch(/^essay \d (word )+word…$/);
    }
    expect(body.truncated.omitted).toBe(0);
    expect(response.headers["x-truncated"]).toBe("shortened=3, omitted=0");
  });

  test("the max_chars parameter omits records that do not fit and continues with them", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const inside = cursor === null ? {} : { next_cursor: cursor };
      const response = await readAnswer(essays({ max_chars: 230 }, inside));
      const body = response.json();
      expect(count(body.results)).toBeLessThanOrEqual(230);
      expect(body.results.length + body.truncated.omitted).toBe(6 - seen.length);
      expect(response.headers["x-next-cursor"]).toBe(body.next_cursor ?? undefined);
      seen.push(...body.results.map(({ Content }: { Content: string }) => Content.slice(0, 7)));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((number) => `essay ${number}`));
  });

  test("the max_chars parameter does not shorten the texts in the job's result", async () => {
    const body = (await readAnswer(essays({ max_chars: 100 }))).json();
    expect(body.truncated.omitted).toBeGreaterThan(0);
    const result = (await service.result(key, body.uuid)).json();
    expect(result).toHaveLength(6);
    expect(count(result)).toBeGreaterThan(3_000);
  });

  test("the max_chars parameter shortens nothing when the text is not among the fields", async () => {
    const body = (await readAnswer(essays({ max_chars: 100, fields: ["ID"] }))).json();
    expect(body.results).toHaveLength(6);
    expect(body.truncated).toEqual({ shortened: [], omitted: 0 });
  });

  test.each([99, 0, -1, 1_000_001, 1.5, "500", null])(
    "the max_chars parameter rejects %j",
    async (maxChars) => {
      const response = await request(essays({ max_chars: maxChars }));
      expect(response.statusCode).toBe(400);
      expect(response.json().errors[0]).toMatchObject({ pointer: "/max_chars" });
    },
  );
});

describe("NDJSON", () => {
  test("an NDJSON answer is one record per line and nothing else", async () => {
    const response = await readAnswer(search("comet", { max_results: 2 }), "application/x-ndjson");
    expect(response.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
    const lines = response.body.split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line).Content)).toEqual([
      "comet number 0",
      "comet number 1",
    ]);
    expect(response.headers["x-coverage"]).toMatch(/^complete=\?0, /);
    expect(response.headers["x-next-cursor"]).toBeDefined();
    expect(response.headers["x-warnings"]).toBe('"incomplete_coverage"');
  });

  test("an NDJSON answer has one record per line even with hostile texts", async () => {
    const response = await readAnswer(search("hostile"), "application/x-ndjson");
    const [line = "", ...rest] = response.body.split("\n");
    expect(rest).toEqual([""]);
    expect(JSON.parse(line).Content).toBe(`hostile ${hostileText}`);
  });

  test("an NDJSON answer is empty when nothing matches", async () => {
    expect((await readAnswer(search("nosuchword"), "application/x-ndjson")).body).toBe("");
  });
});

describe("CSV", () => {
  test("a CSV answer has a header row, then one row per post, each ended by CRLF", async () => {
    const body = {
      ...search("number 3"),
      fields: [
        "Content",
        "Metadata.hashtags",
        "Metadata.public_metrics.like_count",
        "Metadata.geo",
        "Metadata.is_reply",
        "Metadata.public_metrics",
      ],
    };
    const response = await readAnswer(body, "text/csv");
    expect(response.headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
    expect(response.body).toBe(
      "Content,Metadata.hashtags,Metadata.public_metrics.like_count,Metadata.geo,Metadata.is_reply,Metadata.public_metrics\r\n" +
        'comet number 3,sky night,3,,false,"{""like_count"":3,""retweet_count"":0,""reply_count"":null,""quote_count"":null}"\r\n',
    );
  });

  test("a CSV answer has the useful columns of a post when no fields are selected", async () => {
    const { body } = await readAnswer(search("linked"), "text/csv");
    const [names = "", row = ""] = body.split("\r\n");
    expect(names).toMatch(/^ID,Metadata\.created_at,.*,Content,Metadata\.url,/);
    expect(row).toContain(",linked,https://bsky.app/profile/a/post/1,");
    expect((await readAnswer(search("nosuchword"), "text/csv")).body).toBe(`${names}\r\n`);
  });

  test("a CSV answer quotes where needed and neutralises spreadsheet formulas", async () => {
    const fields = ["Content", "Metadata.author", "Metadata.username"];
    const formula = await readAnswer({ ...search("formula"), fields }, "text/csv");
    expect(formula.body.split("\r\n")[1]).toBe("'=1+1 formula,'-2+3,author.example.com");
    const hostile = await readAnswer({ ...search("hostile"), fields }, "text/csv");
    const text = `hostile ${hostileText}`.replaceAll(/[\0\ud800]/g, "\ufffd").replaceAll('"', '""');
    expect(hostile.body).toBe(
      `Content,Metadata.author,Metadata.username\r\n"${text}",'=1+1,'@evil\`name\r\n`,
    );
  });
});

test("a search without a source warns with the next step, as JSON and as Markdown", async () => {
  const onX = { ...search("comet"), type: "x" };
  const { warnings } = (await readAnswer(onX)).json();
  expect(warnings).toContainEqual({
    code: "no_source",
    message: expect.stringContaining("no posts from x"),
    hint: expect.stringContaining("earshot credentials add x"),
  });
  const { body } = await readAnswer(onX, "text/markdown");
  expect(body).toMatch(/^- `no_source`: nothing to search: .*earshot credentials add x/m);
  expect((await readAnswer(search("comet"))).json().warnings).not.toContainEqual(
    expect.objectContaining({ code: "no_source" }),
  );
});

describe("Markdown", () => {
  test("a Markdown answer is a list of quotations with author, time and link", async () => {
    const response = await readAnswer(search("linked"), "text/markdown");
    expect(response.headers["content-type"]).toBe("text/markdown; charset=utf-8");
    const [{ created_at: time }] = (await readAnswer(search("linked"))).json().citations;
    expect(response.body).toContain(
      "# Search: `linked`\n\n1 post. There may be more: coverage is incomplete from ",
    );
    expect(response.body).toContain(
      `1. \`@author.example.com\` · ${time} · bluesky · <https://bsky.app/profile/a/post/1>\n\n   >     linked\n\n`,
    );
    expect(response.body).toContain("- `incomplete_coverage`: ");
    expect(response.body).toContain("This is the last page.");
    expect(response.body).toContain(`\`${response.headers["x-job-uuid"]}\``);
  });

  test("a Markdown answer keeps hostile text inside its quotation", async () => {
    const { body } = await readAnswer(search("hostile"), "text/markdown");
    expect(body).toContain("1. ``@@evil`name`` · ");
    expect(body).toContain("`javascript:alert(1)`\n");
    expect(body).toContain(
      '   >     hostile =HYPERLINK("http://evil.example","a")\n' +
        "   >     > # | `x` ``` <b>&amp;</b>\n" +
        "   >     \u202eשלום\ufffd\ufffd 👩‍👩‍👧\n\n",
    );
  });

  test("a Markdown answer lists the selected fields, and omits the text if it is not selected", async () => {
    const fields = ["Metadata.hashtags", "Metadata.geo", "Metadata.public_metrics.like_count"];
    const { body } = await readAnswer({ ...search("number 3"), fields }, "text/markdown");
    expect(body).toContain(
      '\n\n   - Metadata.hashtags: `["sky","night"]`\n   - Metadata.geo: `null`\n   - Metadata.public_metrics.like_count: `3`\n\n',
    );
    expect(body).not.toContain("comet number 3");
  });

  test("a Markdown answer reports what is shortened, what is omitted and how to continue", async () => {
    const response = await readAnswer(essays({ max_chars: 230 }), "text/markdown");
    expect(response.body).toContain("(shortened: the text has 1011 characters)");
    expect(response.body).toMatch(
      /\n[1-5] more posts were omitted because of max_chars; the next page begins with them\.\n/,
    );
    expect(response.body).toContain(`next_cursor \`${response.headers["x-next-cursor"]}\``);
  });

  test("a Markdown answer distinguishes an empty list with full coverage from one with gaps", async () => {
    const unknown = await readAnswer(search("nosuchword"), "text/markdown");
    expect(unknown.body).toMatch(
      /No post was found\. There may be some: coverage is incomplete from \S+Z to \S+Z\. Missing: from /,
    );
    const nothing = search("comet", {
      start_time: "2026-01-02",
      end_time: "2026-01-01",
      type: "searchbyfullarchive",
    });
    const known = await readAnswer(nothing, "text/markdown");
    expect(known.body).toMatch(
      /No post was found\. There are none: coverage is complete from \S+Z to \S+Z\./,
    );
    expect(known.body).toContain("- `empty_window`: ");
  });
});

describe("Accept", () => {
  test.each(["application/json", "application/x-ndjson", "text/csv", "text/markdown"])(
    "the form %s reports coverage, warnings, shortened texts and the cursor in headers",
    async (accept) => {
      const { headers } = await readAnswer(essays({ max_chars: 230 }), accept);
      expect(headers["content-type"]).toContain(accept);
      expect(headers).toMatchObject({
        vary: "Accept",
        "x-coverage": expect.stringMatching(/^complete=\?0, from="[^"]+", to="[^"]+", gaps=1$/),
        "x-warnings": '"incomplete_coverage"',
        "x-truncated": expect.stringMatching(/^shortened=[12], omitted=[1-5]$/),
        "x-next-cursor": expect.stringMatching(/^[\w-]+$/),
        "x-job-uuid": expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  test("the form of an answer is negotiated by weight, and an unsupported form costs no search", async () => {
    const weighed = await readAnswer(search("comet"), "text/csv;q=0.1, text/markdown;q=0.2");
    expect(weighed.headers["content-type"]).toMatch(/^text\/markdown/);
    const limited = await service.makeKey({ submissionsPerMinute: null });
    const refused = await request(search("comet"), { accept: "text/html", key: limited });
    expect(refused.statusCode).toBe(406);
    expect(refused.headers["content-type"]).toContain("application/problem+json");
    expect(refused.headers.vary).toBe("Accept");
    expect(refused.json()).toMatchObject({ code: "not_acceptable", uuid: "" });
    expect(refused.json().hint).toContain("text/markdown");
    expect(refused.headers.ratelimit).toContain('"search";r=10');
  });

  test("the Accept header does not affect the result route, which returns a bare array", async () => {
    const { uuid } = (await readAnswer(search("comet"))).json();
    const url = `/v1/search/live/social/result/${uuid}`;
    const result = await service.call(key, { method: "GET", url, headers: { accept: "text/csv" } });
    expect(result.headers["content-type"]).toContain("application/json");
    expect(result.json()).toHaveLength(5);
  });
});

describe("a rejected search", () => {
  test.each([0, 31, -1, 1.5, "10", null])("a search returns 400 for wait %j", async (wait) => {
    const response = await request({ ...search("comet"), wait });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: "invalid_request", uuid: "" });
    expect(response.json().errors[0].pointer).toBe("/wait");
  });

  test("a rejected search has the error details of a submission", async () => {
    expect((await request({ ...search("comet"), max_char: 500 })).json().detail).toContain(
      "max_chars",
    );
    expect((await request(search("comet", { max_results: 101 }))).json().errors[0].pointer).toBe(
      "/arguments/max_results",
    );
    expect((await request(search("since:2026-02-30"))).json()).toMatchObject({
      code: "invalid_query",
      uuid: "",
    });
    expect((await request(search("comet"), { path: "/v1/search/socail" })).statusCode).toBe(404);
    const wrong = await service.call(null, {
      method: "POST",
      url: "/v1/search/social",
      payload: {},
    });
    expect(wrong.statusCode).toBe(401);
    const other = await service.call(key, { method: "GET", url: "/v1/search/social" });
    expect(other.headers.allow).toBe("OPTIONS, POST");
  });

  test("a rejected search costs no search, and an answered one costs one", async () => {
    const limited = await service.makeKey({ submissionsPerMinute: null });
    const refused = await request({ ...search("comet"), fields: ["nothing"] }, { key: limited });
    expect(refused.headers.ratelimit).toContain('"search";r=10');
    const actual = await request(search("comet"), { key: limited });
    expect(actual.headers.ratelimit).toContain('"search";r=9');
  });
});

describe("Idempotency-Key", () => {
  test("an Idempotency-Key returns the same job in another form and costs no search", async () => {
    const headers = { "idempotency-key": "form" };
    const limited = await service.makeKey({ submissionsPerMinute: null });
    const first = await request(search("comet"), { headers, key: limited });
    const again = await request(
      { ...search("comet"), fields: ["ID"], wait: 1 },
      { headers, key: limited, accept: "text/csv" },
    );
    expect(again.statusCode, again.body).toBe(200);
    expect(again.headers["x-job-uuid"]).toBe(first.json().uuid);
    expect(again.body).toMatch(/^ID\r\n(\d+\r\n){5}$/);
    expect(again.headers.ratelimit).toContain('"search";r=9');
    const other = await request(search("comets"), { headers, key: limited });
    expect(other.statusCode).toBe(422);
  });
});

describe("a job that has not finished successfully", () => {
  const unfinished = (submitted: SubmittedJob): SubmittedJob =>
    submitted.isRepeated
      ? submitted
      : { ...submitted, job: { ...submitted.job, finishedMs: null } };

  /** Sends a search whose job is in this state after the wait. */
  async function answerTo(ended: Partial<Job>, body: unknown = search("comet")) {
    const waits: number[] = [];
    const { jobs } = service.context.http;
    const app = buildApp({
      ...service.context.http,
      jobs: {
        ...jobs,
        submit: async (job) => unfinished(await jobs.submit(job)),
        waitForEnd: async (accountId, uuid, waitMs) => {
          waits.push(waitMs);
          const job = await jobs.find(accountId, uuid);
          return job === null ? null : { ...job, result: null, ...ended };
        },
      },
    });
    const response = await app.inject({
      method: "POST",
      url: "/v1/search/bluesky",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "text/csv",
      },
      payload: JSON.stringify(body),
    });
    return { response, waits };
  }

  test.each([
    ["in progress", { wait: 7 }, 7_000],
    ["error(retrying)", {}, 10_000],
  ] as const)(
    "a search whose job is %s returns 202 with the location of its result",
    async (state, more, waitMs) => {
      const { response, waits } = await answerTo({ state }, { ...search("comet"), ...more });
      expect(waits).toEqual([waitMs]);
      expect(response.statusCode).toBe(202);
      const { uuid } = response.json();
      expect(response.json()).toEqual({ uuid, status: state, error: "" });
      expect(response.headers).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        location: `/v1/search/live/bluesky/result/${uuid}`,
        "retry-after": "1",
        "x-job-uuid": uuid,
      });
      const url = `${response.headers.location}?wait=30`;
      expect((await service.call(key, { method: "GET", url })).statusCode).toBe(200);
    },
  );

  test.each([
    [
      "error",
      504,
      "deadline_exceeded",
      { code: "deadline", message: "it took too long", status: 504 },
    ],
    ["error", 502, "upstream_failed", { code: "upstream", message: "it was down", status: 502 }],
    ["error", 500, "job_failed", { code: "poison", message: "it broke twice", status: 500 }],
    ["cancelled", 410, "job_cancelled", null],
    ["expired", 410, "result_expired", null],
  ] as const)(
    "a search whose job is in state %s returns %i %s with the job's uuid",
    async (state, status, code, failure) => {
      const { response } = await answerTo({ state, failure });
      expect(response.statusCode).toBe(status);
      expect(response.headers["content-type"]).toContain("application/problem+json");
      const { uuid } = response.json();
      expect(response.json()).toMatchObject({
        code,
        error: failure?.message ?? expect.any(String),
      });
      expect(uuid).toBe(response.headers["x-job-uuid"]);
      expect(uuid).not.toBe("");
    },
  );

  test("a search includes the uuid when the job is stored but waiting for it fails", async () => {
    const storeError = new EarshotError("store_unavailable", "it is busy", { status: 503 });
    const { queue } = service.context;
    const { submit } = queue;
    vi.spyOn(queue, "submit").mockImplementationOnce(async (job) => unfinished(await submit(job)));
    vi.spyOn(queue, "waitForEnd").mockRejectedValueOnce(storeError);
    const response = await service.submit(key, search("comet"), "/v1/search/bluesky");
    expect(response.statusCode).toBe(503);
    const { uuid } = response.json();
    expect(response.headers["x-job-uuid"]).toBe(uuid);
    expect((await service.result(key, uuid)).statusCode).toBe(200);
  });
});

describe("a search in the node format", () => {
  const url = "/api/v1/data/social/tweets/recent";
  const headers = { "content-type": "application/json" };
  const payload = JSON.stringify({ query: "linked" });

  test("a search in the node format includes its warnings, and is replayed under an Idempotency-Key", async () => {
    const limited = await service.makeKey({ submissionsPerMinute: null });
    const options = {
      method: "POST",
      url,
      headers: { ...headers, "idempotency-key": "node" },
      payload,
    } as const;
    const first = await service.call(limited, options);
    expect(first.headers["x-warnings"]).toBe('"incomplete_coverage"');
    const again = await service.call(limited, options);
    expect(again.json()).toEqual(first.json());
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(again.headers.ratelimit).toContain('"search";r=9');
  });

  test("a search in the node format requires a key except on a node that is explicitly open", async () => {
    const { settings } = service.context.http;
    expect(settings.openNodeKey).toBe(null);
    const openNodeKey = await service.makeKey({ submissionsPerMinute: null });
    const open = buildApp({ ...service.context.http, settings: { ...settings, openNodeKey } });
    const response = await open.inject({ method: "POST", url, headers, payload });
    expect(response.statusCode).toBe(200);
    expect(response.json().recordCount).toBe(1);
    expect(response.headers.ratelimit).toContain('"search";r=9');
    const wrong = { ...headers, authorization: "Bearer ear_wrong" };
    for (const refused of [
      await open.inject({ method: "POST", url, headers: wrong, payload }),
      await open.inject({ method: "POST", url: "/v1/search/social", headers, payload }),
      await service.app.inject({ method: "POST", url, headers, payload }),
    ]) {
      expect(refused.statusCode).toBe(401);
    }
  });
});

describe("a search that waits", () => {
  let slow: ServiceUnderTest;
  let slowKey: string;
  beforeAll(async () => {
    slow = await startServiceUnderTest({
      EARSHOT_NODE_CONCURRENCY: "0",
      EARSHOT_MAX_WAITING_REQUESTS: "1",
    });
    slowKey = await slow.makeKey({ submissionsPerMinute: null });
  });
  afterAll(() => slow.remove());

  const post = (idempotencyKey: string, url = "/v1/search/social") =>
    slow.call(slowKey, {
      method: "POST",
      url,
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
      payload: JSON.stringify(search("comet")),
    });
  const submissions = async (): Promise<number> => {
    const metrics = await slow.context.http.metrics.text();
    return Number(/^earshot_submissions_total\{[^}]*\} (\d+)$/m.exec(metrics)?.[1]);
  };
  const getJob = async (idempotencyKey: string): Promise<string> =>
    (await post(idempotencyKey, "/v1/search/live/social")).json().uuid;

  test("a search that waits counts as a waiting request of its key, one more is rejected, and cancelling the job ends it", async () => {
    const first = post("first");
    await slow.waitForPending(1);
    const second = await post("second");
    expect(second.statusCode).toBe(429);
    expect(second.json()).toMatchObject({ code: "rate_limited", uuid: "" });
    expect(second.headers["retry-after"]).toBe("1");
    expect(second.headers.ratelimit).toContain('"search";r=9');
    const url = `/v1/search/live/social/status/${await getJob("first")}`;
    expect((await slow.call(slowKey, { method: "DELETE", url })).statusCode).toBe(200);
    expect((await first).json()).toMatchObject({ status: 410, code: "job_cancelled" });
  });

  test("a search that waits stays submitted when its client disconnects", async () => {
    const clientAbort = new AbortController();
    const pendingSearch = fetch(`${slow.url}/v1/search/social`, {
      method: "POST",
      signal: clientAbort.signal,
      headers: {
        authorization: `Bearer ${slowKey}`,
        "content-type": "application/json",
        "idempotency-key": "gone",
      },
      body: JSON.stringify(search("comet")),
    });
    await slow.waitForPending(1);
    clientAbort.abort();
    await expect(pendingSearch).rejects.toThrow();
    await slow.waitForPending(0);
    const url = `/v1/search/live/social/status/${await getJob("gone")}`;
    const status = await slow.call(slowKey, { method: "GET", url });
    expect(status.json()).toMatchObject({ status: "received" });
  });

  test("a search that waits returns its uuid when the server stops", async () => {
    const before = await submissions();
    const pendingSearch = post("stopped");
    await slow.waitForPending(1);
    await expect.poll(submissions).toBe(before + 1);
    await slow.stop();
    const response = await pendingSearch;
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: "received",
      error: "",
    });
  });
});
