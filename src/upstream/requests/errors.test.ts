import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answered,
  closed,
  cutOff,
  endless,
  garbage,
  good,
  gzipBomb,
  type HostileUpstream,
  nested,
  redirect,
  silent,
  startHostileUpstream,
  stuckInBody,
  type Turn,
  trickling,
  truncatedBody,
} from "../../../testkit/upstreams/hostile-upstream.ts";
import {
  bearer,
  jobOf,
  openRoom,
  pooled,
  running,
  type TestSessions,
  testUpstream,
} from "../../../testkit/upstreams/sessions.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { UpstreamAnswer } from "../../platforms/session.ts";
import type { OpenSession } from "./sessions.ts";

const hourMs = 3_600_000;

let upstream: HostileUpstream;
let room: TestSessions;
let clock: ManualClock;

beforeEach(async () => {
  clock = createManualClock();
  upstream = await startHostileUpstream(good({ items: ["a"] }));
  room = openRoom(testUpstream("x", { publicBaseUrl: upstream.url }), [upstream.url], {
    clock,
  });
  room.pool.credentials = [pooled("c1", upstream.url)];
});
afterEach(async () => {
  await room.close();
  await upstream.close();
});

async function session(access: "app" | "public" = "app"): Promise<OpenSession> {
  const [first] = await room.sessions.open({
    job: jobOf("job", { deadlineMs: clock.now() + hourMs }),
    platform: "x",
    access: [access],
    ownership: "any",
    bucket: "posts",
    host: null,
  });
  if (first === undefined) throw new Error("there is no session");
  return first;
}

async function requested(access: "app" | "public" = "app"): Promise<UpstreamAnswer> {
  const opened = await session(access);
  return await running(clock, opened.get({ path: "/posts", bucket: "posts" }));
}

async function error(access: "app" | "public" = "app"): Promise<EarshotError> {
  const thrown = await requested(access).then(
    (answer) => answer,
    (error: unknown) => error,
  );
  if (!(thrown instanceof EarshotError)) throw new Error(`no error: ${JSON.stringify(thrown)}`);
  return thrown;
}

const host = () => new URL(upstream.url).host;

describe("temporary errors are retried", () => {
  const passing: [string, Turn, string][] = [
    ["no answer in time", silent, "timeout"],
    ["a body that does not come to its end in time", stuckInBody, "timeout"],
    ["a body that comes byte by byte", trickling, "timeout"],
    ["a body that breaks off", truncatedBody, "unreachable"],
    ["truncated JSON", cutOff, "unreadable"],
    ["an empty body", answered(200), "unreadable"],
    ["a page of HTML", answered(200, { "content-type": "text/html" }, "<p>Busy</p>"), "unreadable"],
    ["an immediately closed connection", closed, "unreachable"],
    ["an answer that is not HTTP", garbage, "unreachable"],
    ["a status of 500", answered(500, {}, "no"), "failed"],
    [
      "a status of 503 with Retry-After of a second",
      answered(503, { "retry-after": "1" }),
      "failed",
    ],
    ["a status of 408", answered(408), "failed"],
  ];

  test.each(passing)("a temporary error is retried: %s", async (_what, turn, outcome) => {
    const afterwards = upstream.usual;
    upstream.usual = (request, response) => {
      (room.outcomes.length < 2 ? turn : afterwards)(request, response);
    };
    if (outcome === "timeout") room.timeoutsMs.push(50, 50);
    expect(await requested()).toMatchObject({ status: 200, json: { items: ["a"] } });
    expect(room.outcomes).toEqual([outcome, outcome, "answered"]);
  });

  test.each(passing)(
    "a temporary error is retried up to the configured number of times: %s",
    async (_what, turn, outcome) => {
      upstream.usual = turn;
      if (outcome === "timeout") room.timeoutsMs.push(50, 50, 50);
      const thrown = await error();
      expect(thrown).toMatchObject({ retryable: true });
      expect(thrown.message).toContain(host());
      expect(room.outcomes).toEqual([outcome, outcome, outcome]);
    },
  );

  test("temporary errors are retried after increasing pauses, within the job's time", async () => {
    upstream.usual = answered(500);
    const startMs = clock.now();
    await error();
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(750);
    upstream.usual = answered(503, { "retry-after": "7200" });
    expect(await error()).toMatchObject({ code: "upstream_failed", status: 502 });
    expect(upstream.requests).toHaveLength(4);
  });
});

describe("permanent errors are reported immediately", () => {
  const lasting: [string, Turn, string, RegExp][] = [
    ["a body without an end", endless, "answer_too_large", /longer than 100000 bytes/],
    ["some bytes that unpack to very many", gzipBomb(50_000_000), "answer_too_large", /longer/],
    ["JSON that nests deep", nested(65), "answer_unreadable", /deeper than 64 levels/],
    ["JSON that nests very deep", nested(40_000), "answer_unreadable", /deeper than 64 levels/],
    ["a status of 501", answered(501), "upstream_failed", /answered 501/],
    ["a status of 304", answered(304), "upstream_refused", /answered 304/],
  ];

  test.each(lasting)(
    "a permanent error is reported immediately: %s",
    async (_what, turn, code, message) => {
      upstream.script = [turn];
      const thrown = await error();
      expect(thrown).toMatchObject({ code, status: 502, message: expect.stringMatching(message) });
      expect(thrown.message).toContain(host());
      expect(upstream.requests).toHaveLength(1);
    },
  );
});

describe("a redirect", () => {
  test("a redirect is not followed with a credential, not even on the same host", async () => {
    for (const location of ["http://169.254.169.254/latest", "http://127.0.0.1:1/", "/elsewhere"]) {
      upstream.script = [redirect(location)];
      const thrown = await error();
      expect(thrown).toMatchObject({ code: "upstream_refused" });
      expect(thrown.message).toContain(new URL(location, upstream.url).host);
      expect(thrown.message).not.toContain("latest");
    }
    expect(upstream.requests).toHaveLength(3);
  });

  test("a redirect is followed without a credential only on the same host", async () => {
    upstream.script = [redirect("/elsewhere")];
    expect(await requested("public")).toMatchObject({ json: { items: ["a"] } });
    expect(upstream.requests.map(({ path }) => path)).toEqual(["/posts", "/elsewhere"]);
    upstream.script = [redirect("http://10.0.0.1/")];
    expect(await error("public")).toMatchObject({ code: "upstream_refused" });
    upstream.usual = redirect("/posts");
    expect(await error("public")).toMatchObject({ code: "upstream_refused" });
  });
});

describe("a refusal", () => {
  test.each([400, 403, 404, 410, 422])(
    "a refusal with status %i is an answer, regardless of its body",
    async (status) => {
      upstream.script = [answered(status, {}, "<p>No</p>"), answered(status, {}, '{"why":"no"}')];
      expect(await requested()).toMatchObject({ status, json: null });
      expect(await requested()).toMatchObject({ status, json: { why: "no" } });
      expect(upstream.requests).toHaveLength(2);
    },
  );

  test("a refusal with 401 quarantines the credential", async () => {
    upstream.script = [answered(401, {}, "Bearer secret-of-c1 is wrong")];
    expect(await error()).toMatchObject({ code: "credential_refused" });
    expect(room.pool.calls).toEqual([`quarantine c1 ${host()} refused the credential (401)`]);
    await expect(session()).rejects.toThrow("there is no session");
  });

  test("a refusal with 401 without a credential explains that one is needed", async () => {
    upstream.script = [answered(401)];
    const thrown = await error("public");
    expect(thrown).toMatchObject({ code: "credential_refused" });
    expect(thrown.message).toContain("requires a credential");
    expect(room.pool.calls).toEqual([]);
  });
});

describe("no secret", () => {
  test("no secret is in an error, regardless of what a credential kind makes of an answer", async () => {
    const echoing = {
      ...bearer,
      send: async () => {
        throw new EarshotError("credential_refused", "no: Bearer\n\u001b[31msecret-of-c2", {
          status: 502,
        });
      },
    };
    room.pool.credentials = [pooled("c2", upstream.url, { kind: echoing })];
    expect((await error()).message).toBe("no: Bearer [31m…");
    expect(room.pool.calls).toEqual(["quarantine c2 no: Bearer [31m…"]);
  });

  test("no secret is sent to another host", async () => {
    const opened = await session();
    const remote = new URL(`${upstream.url.replace("127.0.0.1", "localhost")}/open?a=1`);
    const openly = opened.getPublic(remote, {
      bucket: "open",
      query: { b: ["2", "3"], c: undefined },
    });
    await expect(running(clock, openly)).rejects.toMatchObject({
      code: "upstream_unreachable",
      message: "localhost does not resolve to a public address",
    });
    await running(
      clock,
      opened.getPublic(new URL(`${upstream.url}/open?a=1`), {
        bucket: "open",
        query: { b: ["2", "3"] },
      }),
    );
    expect(upstream.requests).toMatchObject([
      { path: "/open?a=1&b=2&b=3", authorization: undefined },
    ]);
  });
});

test("JSON from an upstream cannot change object prototypes", async () => {
  upstream.script = [
    answered(
      200,
      {},
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"id":12345678901234567890123}',
    ),
  ];
  const { json } = await requested();
  expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  expect((json as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test("a byte order mark in an answer is not an error", async () => {
  upstream.script = [answered(200, {}, Buffer.from('\ufeff{"a":1}'))];
  expect(await requested()).toMatchObject({ json: { a: 1 } });
});

describe("a job that ends", () => {
  test("a request of a job that ends rejects with the job's own reason, while it waits for anything", async () => {
    const ending = new AbortController();
    const removed = new Error("the lease was lost");
    upstream.usual = silent;
    const [opened] = await room.sessions.open({
      job: jobOf("ending", { deadlineMs: clock.now() + hourMs, signal: ending.signal }),
      platform: "x",
      access: ["app"],
      ownership: "any",
      bucket: "posts",
      host: null,
    });
    const pending = opened?.get({ path: "/posts", bucket: "posts" });
    const behind = opened?.patient.get({ path: "/posts", bucket: "posts" });
    ending.abort(removed);
    await expect(pending).rejects.toBe(removed);
    await expect(behind).rejects.toBe(removed);
  });

  test("a job sends no request after its deadline", async () => {
    const [opened] = await room.sessions.open({
      job: jobOf("late", { deadlineMs: clock.now() - 1 }),
      platform: "x",
      access: ["app"],
      ownership: "any",
      bucket: "posts",
      host: null,
    });
    const pending = opened?.get({ path: "/posts", bucket: "posts" });
    await expect(pending).rejects.toMatchObject({ code: /upstream_(timeout|limited)/ });
    expect(upstream.requests).toEqual([]);
  });
});

test("a path that leads to another host is never requested", async () => {
  const opened = await session();
  for (const path of ["@evil.example/", ".evil.example/", "evil"]) {
    await expect(opened.get({ path, bucket: "posts" })).rejects.toThrow("is not a path of");
  }
  expect(upstream.requests).toEqual([]);
});
