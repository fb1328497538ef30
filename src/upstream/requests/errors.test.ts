import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
  trickledBody,
  truncatedBody,
  type UpstreamReply,
} from "../../../testkit/upstreams/hostile-upstream.ts";
import {
  advanceUntil,
  bearer,
  makeUpstreamJob,
  openTestSessions,
  pooledCredential,
  type TestSessions,
  testUpstream,
} from "../../../testkit/upstreams/sessions.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { UpstreamResponse } from "../../platforms/session.ts";
import type { OpenSession } from "./sessions.ts";

const hourMs = 3_600_000;

let upstream: HostileUpstream;
let setup: TestSessions;
let clock: ManualClock;

beforeEach(async () => {
  clock = createManualClock();
  upstream = await startHostileUpstream(jsonReply({ items: ["a"] }));
  setup = openTestSessions(testUpstream("x", { publicBaseUrl: upstream.url }), [upstream.url], {
    clock,
  });
  setup.pool.credentials = [pooledCredential("c1", upstream.url)];
});
afterEach(async () => {
  await setup.close();
  await upstream.close();
});

async function session(access: "app" | "public" = "app"): Promise<OpenSession> {
  const [first] = await setup.sessions.open({
    job: makeUpstreamJob("job", { deadlineMs: clock.now() + hourMs }),
    platform: "x",
    access: [access],
    ownership: "any",
    bucket: "posts",
    host: null,
  });
  if (first === undefined) throw new Error("no session was opened");
  return first;
}

async function getPosts(access: "app" | "public" = "app"): Promise<UpstreamResponse> {
  const appSession = await session(access);
  return await advanceUntil(clock, appSession.get({ path: "/posts", bucket: "posts" }));
}

async function getError(access: "app" | "public" = "app"): Promise<EarshotError> {
  const thrown = await getPosts(access).then(
    (answer) => answer,
    (error: unknown) => error,
  );
  if (!(thrown instanceof EarshotError)) throw new Error(`no error: ${JSON.stringify(thrown)}`);
  return thrown;
}

const host = () => new URL(upstream.url).host;

describe("temporary errors are retried", () => {
  const temporaryErrors: [string, UpstreamReply, string][] = [
    ["no response in time", noReply, "timeout"],
    ["a body that does not end in time", stuckInBody, "timeout"],
    ["a body that arrives byte by byte", trickledBody, "timeout"],
    ["a body that breaks off", truncatedBody, "unreachable"],
    ["truncated JSON", shortBody, "unreadable"],
    ["an empty body", replyWith(200), "unreadable"],
    ["an HTML page", replyWith(200, { "content-type": "text/html" }, "<p>Busy</p>"), "unreadable"],
    ["an immediately closed connection", closedConnection, "unreachable"],
    ["an answer that is not HTTP", garbage, "unreachable"],
    ["a status of 500", replyWith(500, {}, "no"), "failed"],
    [
      "a status of 503 with a Retry-After of one second",
      replyWith(503, { "retry-after": "1" }),
      "failed",
    ],
    ["a status of 408", replyWith(408), "failed"],
  ];

  test.each(temporaryErrors)("a temporary error is retried: %s", async (_what, reply, outcome) => {
    const defaultReply = upstream.defaultReply;
    upstream.defaultReply = (request, response) => {
      (setup.outcomes.length < 2 ? reply : defaultReply)(request, response);
    };
    if (outcome === "timeout") setup.timeoutsMs.push(50, 50);
    expect(await getPosts()).toMatchObject({ status: 200, json: { items: ["a"] } });
    expect(setup.outcomes).toEqual([outcome, outcome, "answered"]);
  });

  test.each(temporaryErrors)(
    "a temporary error is retried up to the configured number of times: %s",
    async (_what, reply, outcome) => {
      upstream.defaultReply = reply;
      if (outcome === "timeout") setup.timeoutsMs.push(50, 50, 50);
      const thrown = await getError();
      expect(thrown).toMatchObject({ retryable: true });
      expect(thrown.message).toContain(host());
      expect(setup.outcomes).toEqual([outcome, outcome, outcome]);
    },
  );

  test("temporary errors are retried after increasing pauses, within the job's time", async () => {
    upstream.defaultReply = replyWith(500);
    const startMs = clock.now();
    await getError();
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(750);
    upstream.defaultReply = replyWith(503, { "retry-after": "7200" });
    expect(await getError()).toMatchObject({ code: "upstream_failed", status: 502 });
    expect(upstream.requests).toHaveLength(4);
  });
});

describe("permanent errors are reported immediately", () => {
  const permanentErrors: [string, UpstreamReply, string, RegExp][] = [
    ["an endless body", endlessBody, "answer_too_large", /longer than 100000 bytes/],
    ["a decompression bomb", gzipBomb(50_000_000), "answer_too_large", /longer/],
    ["deeply nested JSON", nestedJson(65), "answer_unreadable", /deeper than 64 levels/],
    ["very deeply nested JSON", nestedJson(40_000), "answer_unreadable", /deeper than 64 levels/],
    ["a status of 501", replyWith(501), "upstream_failed", /returned 501/],
    ["a status of 304", replyWith(304), "upstream_refused", /returned 304/],
  ];

  test.each(permanentErrors)(
    "a permanent error is reported immediately: %s",
    async (_what, reply, code, message) => {
      upstream.script = [reply];
      const thrown = await getError();
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
      const thrown = await getError();
      expect(thrown).toMatchObject({ code: "upstream_refused" });
      expect(thrown.message).toContain(new URL(location, upstream.url).host);
      expect(thrown.message).not.toContain("latest");
    }
    expect(upstream.requests).toHaveLength(3);
  });

  test("a redirect is followed without a credential only on the same host", async () => {
    upstream.script = [redirect("/elsewhere")];
    expect(await getPosts("public")).toMatchObject({ json: { items: ["a"] } });
    expect(upstream.requests.map(({ path }) => path)).toEqual(["/posts", "/elsewhere"]);
    upstream.script = [redirect("http://10.0.0.1/")];
    expect(await getError("public")).toMatchObject({ code: "upstream_refused" });
    upstream.defaultReply = redirect("/posts");
    expect(await getError("public")).toMatchObject({ code: "upstream_refused" });
  });
});

describe("a refusal", () => {
  test.each([400, 403, 404, 410, 422])(
    "a refusal with status %i is an answer, regardless of its body",
    async (status) => {
      upstream.script = [replyWith(status, {}, "<p>No</p>"), replyWith(status, {}, '{"why":"no"}')];
      expect(await getPosts()).toMatchObject({ status, json: null });
      expect(await getPosts()).toMatchObject({ status, json: { why: "no" } });
      expect(upstream.requests).toHaveLength(2);
    },
  );

  test("a refusal with 401 quarantines the credential", async () => {
    upstream.script = [replyWith(401, {}, "Bearer secret-of-c1 is wrong")];
    expect(await getError()).toMatchObject({ code: "credential_refused" });
    expect(setup.pool.calls).toEqual([`quarantine c1 ${host()} refused the credential (401)`]);
    await expect(session()).rejects.toThrow("no session was opened");
  });

  test("a refusal with 401 without a credential explains that one is needed", async () => {
    upstream.script = [replyWith(401)];
    const thrown = await getError("public");
    expect(thrown).toMatchObject({ code: "credential_refused" });
    expect(thrown.message).toContain("requires a credential");
    expect(setup.pool.calls).toEqual([]);
  });
});

describe("secrets", () => {
  test("no secret is in an error, even if a credential kind repeats it", async () => {
    const echoingKind = {
      ...bearer,
      send: async () => {
        throw new EarshotError("credential_refused", "no: Bearer\n\u001b[31msecret-of-c2", {
          status: 502,
        });
      },
    };
    setup.pool.credentials = [pooledCredential("c2", upstream.url, { kind: echoingKind })];
    expect((await getError()).message).toBe("no: Bearer [31m…");
    expect(setup.pool.calls).toEqual(["quarantine c2 no: Bearer [31m…"]);
  });

  test("a public request is sent without the credential, and fails if its host has no public address", async () => {
    const appSession = await session();
    const remoteUrl = new URL(`${upstream.url.replace("127.0.0.1", "localhost")}/open?a=1`);
    const publicRequest = appSession.getPublic(remoteUrl, {
      bucket: "open",
      query: { b: ["2", "3"], c: undefined },
    });
    await expect(advanceUntil(clock, publicRequest)).rejects.toMatchObject({
      code: "upstream_unreachable",
      message: "localhost does not resolve to a public address",
    });
    await advanceUntil(
      clock,
      appSession.getPublic(new URL(`${upstream.url}/open?a=1`), {
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
    replyWith(
      200,
      {},
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"id":12345678901234567890123}',
    ),
  ];
  const { json } = await getPosts();
  expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  expect((json as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test("a byte order mark in an answer is not an error", async () => {
  upstream.script = [replyWith(200, {}, Buffer.from('\ufeff{"a":1}'))];
  expect(await getPosts()).toMatchObject({ json: { a: 1 } });
});

describe("the end of a job", () => {
  test("a request from an aborted job rejects with the job's reason, whether it has been sent or is waiting", async () => {
    const jobController = new AbortController();
    const reason = new Error("the lease was lost");
    upstream.defaultReply = noReply;
    const [jobSession] = await setup.sessions.open({
      job: makeUpstreamJob("ending", {
        deadlineMs: clock.now() + hourMs,
        signal: jobController.signal,
      }),
      platform: "x",
      access: ["app"],
      ownership: "any",
      bucket: "posts",
      host: null,
    });
    const pendingAnswer = jobSession?.get({ path: "/posts", bucket: "posts" });
    const queuedRequest = jobSession?.patientSession.get({ path: "/posts", bucket: "posts" });
    jobController.abort(reason);
    await expect(pendingAnswer).rejects.toBe(reason);
    await expect(queuedRequest).rejects.toBe(reason);
  });

  test("a job sends no request after its deadline", async () => {
    const [jobSession] = await setup.sessions.open({
      job: makeUpstreamJob("late", { deadlineMs: clock.now() - 1 }),
      platform: "x",
      access: ["app"],
      ownership: "any",
      bucket: "posts",
      host: null,
    });
    const pendingAnswer = jobSession?.get({ path: "/posts", bucket: "posts" });
    await expect(pendingAnswer).rejects.toMatchObject({ code: /upstream_(timeout|limited)/ });
    expect(upstream.requests).toEqual([]);
  });
});

test("a path that leads to another host is never requested", async () => {
  const appSession = await session();
  for (const path of ["@evil.example/", ".evil.example/", "evil"]) {
    await expect(appSession.get({ path, bucket: "posts" })).rejects.toThrow("is not a path of");
  }
  expect(upstream.requests).toEqual([]);
});
