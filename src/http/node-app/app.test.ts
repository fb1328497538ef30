import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { newApiKey, printApiKey } from "../../accounts/api-key.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { IntrospectAnswer } from "../../remote/protocol/messages.ts";
import { jobOfNonce } from "../../remote/protocol/statement.ts";
import { unreachable } from "../../remote/worker/gateway-errors.ts";
import type { ShownAnswer } from "../../search/with-records.ts";
import { buildNodeApp } from "./app.ts";
import type { DirectSearch, NodeAppContext } from "./context.ts";

const key = printApiKey(newApiKey((length) => Buffer.alloc(length, 7)));

const active: IntrospectAnswer = {
  status: "active",
  rates_key: "k",
  requests_per_second: 100,
  submissions_per_minute: 100,
  methods: null,
};

const found: ShownAnswer = {
  items: [{ platform: "x", id: 3n, uri: null, userId: null, record: '{"ID":"3"}' }],
  next: null,
  complete: true,
  coverage: { fromMs: 0, toMs: 1_000, complete: true, gaps: [] },
  sources: [],
  warnings: [{ code: "unreadable_items", message: "one" }],
};

function make(special: Partial<NodeAppContext> = {}, settings: object = {}) {
  const clock = createManualClock();
  const logged: unknown[] = [];
  const introspected: string[] = [];
  let ids = 0;
  const app = buildNodeApp({
    settings: {
      maxBodyBytes: 65_536,
      maxConnections: 100,
      connectionShare: 25,
      maxHeaderBytes: 16_384,
      requestTimeoutMs: 10_000,
      idleTimeoutMs: 10_000,
      trustedProxies: [],
      openNodeKey: null,
      failedKeysPerMinute: 30,
      attestationsPerMinute: 2,
      maxLiveQueryLength: 4_096,
      liveWindowMs: 604_800_000,
      deadlineMs: 120_000,
      concurrency: 2,
      ...settings,
    },
    clock,
    log: {
      info: (fields: unknown) => logged.push(fields),
      warn: (fields: unknown) => logged.push(fields),
      error: (fields: unknown) => logged.push(fields),
    },
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
    },
    node: { id: "0123456789abcdef", evidence: "none" },
    nowMs: clock.now,
    introspect: async (keyId) => {
      introspected.push(keyId);
      return active;
    },
    answer: async () => found,
    sign: (_search, _answer, body) => ({
      "content-digest": `digest of ${body.length}`,
      "content-type": "application/json; charset=utf-8",
      "earshot-job": "job",
      "signature-input": "input",
      signature: "signature",
    }),
    prove: async ({ uuid }) => {
      throw new EarshotError("internal", `nothing proves ${uuid}`);
    },
    attest: async () => {
      throw new EarshotError("evidence_unavailable", "there is no guest agent");
    },
    status: () => ({ state: "admitted", isAttested: true }),
    ...special,
  });
  const send = (
    body: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${key}` },
  ) =>
    app.inject({
      method: "POST",
      url: "/api/v1/data/social/tweets/recent",
      headers: { "content-type": "application/json", ...headers },
      payload: JSON.stringify(body),
    });
  return { app, ask: send, clock, logged, introspected };
}

test("answers a search as the gateway does, with signature headers", async () => {
  let received: DirectSearch | null = null;
  const { ask: send, clock } = make({
    answer: async (search) => {
      received = search;
      return found;
    },
  });
  const answer = await send({ query: "comet", count: 7 });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe(
    '{"data":[{"ID":"3"}],"recordCount":1,"workerPeerId":"0123456789abcdef"}',
  );
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-node": '"0123456789abcdef";evidence=none',
    "x-warnings": '"unreadable_items"',
    "content-digest": `digest of ${answer.body.length}`,
    "earshot-job": "job",
    "signature-input": "input",
    signature: "signature",
    "ratelimit-policy": '"burst";q=100;w=1, "search";q=100;w=60',
    ratelimit: '"burst";r=99;t=1, "search";r=99;t=60',
  });
  expect(received).toMatchObject({
    uuid: answer.headers["x-request-id"],
    deadlineMs: clock.now() + 120_000,
    request: {
      platform: "social",
      type: "social",
      method: "searchbyquery",
      query: "comet",
      maxResults: 7,
      fromMs: clock.now() - 604_800_000,
      toMs: clock.now(),
      asOfMs: clock.now(),
      after: null,
    },
  });
});

test("signs an answer for the caller's nonce, as JSON or as a proof", async () => {
  const signedFor: string[] = [];
  const fields = { "content-digest": "d", "content-type": "application/json", "earshot-job": "j" };
  const { ask: send } = make({
    sign: ({ uuid }) => {
      signedFor.push(uuid);
      return { ...fields, "signature-input": "i", signature: "s" };
    },
    prove: async ({ uuid }) => {
      signedFor.push(uuid);
      return JSON.parse('{"version":1}');
    },
  });
  const nonce = "A".repeat(43);
  const sent = { authorization: `Bearer ${key}`, "earshot-nonce": nonce };
  await send({ query: "comet" }, sent);
  const accept = "application/vnd.earshot.proof+json";
  const proof = await send({ query: "comet" }, { ...sent, accept });
  expect(proof.headers["content-type"]).toBe(`${accept}; charset=utf-8`);
  expect(proof.body).toBe('{"version":1}');
  expect(signedFor).toEqual([jobOfNonce(nonce), jobOfNonce(nonce)]);
  const short = await send({ query: "comet" }, { ...sent, "earshot-nonce": "short" });
  expect(short.json()).toMatchObject({
    code: "invalid_request",
    errors: [{ code: "invalid_value", pointer: "/earshot-nonce" }],
  });
  expect(signedFor).toHaveLength(2);
});

test("logs routes and times, never a query or a key", async () => {
  const { ask: send, logged } = make();
  await send({ query: "comet secret-word" });
  const text = JSON.stringify(logged);
  expect(text).toContain("/api/v1/data/:platform/tweets/recent");
  expect(text).not.toContain("secret-word");
  expect(text).not.toContain(key.slice(4));
});

test.each([
  [{ status: "unknown" }, 401, "unauthorized"],
  [{ status: "suspended" }, 403, "account_suspended"],
  [{ ...active, methods: ["getbyid"] }, 403, "method_forbidden"],
  [{ ...active, requests_per_second: 0 }, 429, "rate_limited"],
  [{ ...active, submissions_per_minute: 0 }, 429, "rate_limited"],
] as const)("a key that the gateway reports as %j gets %i %s", async (reported, status, code) => {
  const { ask: send } = make({ introspect: async () => reported as IntrospectAnswer });
  const answer = await send({ query: "comet" });
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ code, error: expect.any(String) });
});

test("refuses malformed keys without asking the gateway, and limits them too", async () => {
  const { ask: send, introspected } = make({}, { failedKeysPerMinute: 2 });
  const wrong = (name: string) => send({ query: "comet" }, { authorization: `Bearer ${name}` });
  const codes = [
    await send({ query: "comet" }, {}),
    await wrong("a"),
    await wrong("b"),
    await wrong("c"),
  ];
  expect(codes.map((answer) => answer.json().code)).toEqual([
    "unauthorized",
    "unauthorized",
    "unauthorized",
    "too_many_failed_keys",
  ]);
  expect(introspected).toEqual([]);
});

test("refuses a valid key among too many concurrent wrong ones of an address", async () => {
  const { ask: send } = make(
    { introspect: async (keyId) => (keyId === "guessed0" ? active : { status: "unknown" }) },
    { failedKeysPerMinute: 2 },
  );
  const guess = (id: string) =>
    send(
      { query: "comet" },
      { authorization: `Bearer ${printApiKey({ id, secret: "a".repeat(32) })}` },
    );
  const ids = ["guessed1", "guessed2", "guessed0"];
  const answers = await Promise.all(ids.map(guess));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 429]);
});

test("a stopping node first is not ready, then refuses searches with 503", async () => {
  const { app, ask: send } = make();
  app.shutdown.announce();
  const readiness = await app.inject({ url: "/readyz" });
  expect(readiness.statusCode).toBe(503);
  expect(readiness.json()).toMatchObject({ status: "stopping" });
  expect((await send({ query: "comet" })).statusCode).toBe(200);
  await app.shutdown.drain();
  const refused = await send({ query: "comet" });
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ code: "unavailable" });
});

test("an open node treats requests without a key as those of one key", async () => {
  const { ask: send } = make({}, { openNodeKey: key });
  expect((await send({ query: "comet" }, {})).statusCode).toBe(200);
});

test("returns 503 with Retry-After if the gateway cannot check a key", async () => {
  const { ask: send, logged } = make({
    introspect: () => Promise.reject(unreachable("the connection was refused")),
  });
  const answer = await send({ query: "comet" });
  expect(answer.statusCode).toBe(503);
  // Temporary, so without a stack trace.
  expect(logged).toContainEqual(expect.objectContaining({ code: "unavailable" }));
  expect(logged).not.toContainEqual(expect.objectContaining({ err: expect.anything() }));
  expect(answer.headers["retry-after"]).toBe("1");
  expect(answer.json()).toMatchObject({
    code: "unavailable",
    detail: expect.stringMatching(/keys/),
  });
});

test("answers nothing unsigned while it is not attested", async () => {
  const { ask: send } = make({
    sign: () => {
      throw unreachable("no attestation");
    },
  });
  const answer = await send({ query: "comet" });
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ code: "unavailable" });
});

test("reports a failing platform as the gateway does", async () => {
  const { ask: send } = make({
    answer: () =>
      Promise.reject(
        new EarshotError("upstream_refused", "x refused it", { status: 502, retryable: true }),
      ),
  });
  const answer = await send({ query: "comet" });
  expect(answer.statusCode).toBe(502);
  expect(answer.json()).toMatchObject({
    code: "upstream_failed",
    retryable: true,
    errors: [{ code: "upstream_refused" }],
  });
});

test("reports an internal error without repeating the query in answer or log", async () => {
  const { ask: send, logged } = make({
    answer: () => Promise.reject(new Error("fts5: syntax error near secret-word")),
  });
  const answer = await send({ query: "comet secret-word" });
  expect(answer.statusCode).toBe(500);
  expect(answer.body + JSON.stringify(logged)).not.toContain("secret-word");
  expect(logged).toContainEqual({ request_id: answer.headers["x-request-id"], code: "internal" });
});

test("a stopping node answers pending requests", async () => {
  const { app, ask: send } = make({
    answer: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const answer = send({ query: "comet" });
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
  await app.close();
  expect((await answer).statusCode).toBe(503);
});

test("ends a slow search and reports it as the gateway does", async () => {
  const { ask: send, clock } = make({
    answer: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const answer = send({ query: "comet" });
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
  await clock.advance(120_000);
  expect((await answer).statusCode).toBe(504);
});

test("refuses searches beyond its capacity without counting them", async () => {
  const pending = Promise.withResolvers<ShownAnswer>();
  const { ask: send } = make({ answer: () => pending.promise });
  const running = [send({ query: "comet" }), send({ query: "comet" })];
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
  const refused = await send({ query: "comet" });
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ code: "overloaded" });
  expect(refused.headers.ratelimit).toContain('"search";r=98');
  pending.resolve(found);
  expect((await Promise.all(running)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect((await send({ query: "comet" })).statusCode).toBe(200);
});

test("refuses unknown paths, other methods and bodies that are not JSON", async () => {
  const { app, ask: send } = make();
  expect((await app.inject({ url: "/v1/search/live/social" })).json().code).toBe("not_found");
  const other = await app.inject({ url: "/api/v1/data/social/tweets/recent" });
  expect(other.json().code).toBe("method_not_allowed");
  expect(other.headers.allow).toBe("OPTIONS, POST");
  const packed = { authorization: `Bearer ${key}`, "content-encoding": "gzip" };
  expect((await send({ query: "comet" }, packed)).json().code).toBe("unsupported_media_type");
});

test("limits evidence for callers per address, and its errors reveal nothing of the machine", async () => {
  const { app } = make();
  const call = () => app.inject({ url: `/attestation?nonce=${"A".repeat(43)}` });
  const first = await call();
  expect(first.json()).toMatchObject({ code: "unavailable" });
  expect(first.body).not.toContain("guest agent");
  await call();
  const third = await call();
  expect(third.json()).toMatchObject({ code: "too_many_attempts" });
  expect(Number(third.headers["retry-after"])).toBeGreaterThan(0);
});

test.each(["", "?nonce=", "?nonce=abc", `?nonce=${"A".repeat(44)}`, `?nonce=${"A".repeat(42)}B`])(
  "refuses a nonce that is not 32 bytes: %j",
  async (query) => {
    const { app } = make();
    expect((await app.inject({ url: `/attestation${query}` })).statusCode).toBe(400);
  },
);

test("is ready while it can authenticate callers", async () => {
  const waiting = make({ status: () => ({ state: "pending", isAttested: false }) });
  const answer = await waiting.app.inject({ url: "/readyz" });
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({
    status: "not ready",
    node: "0123456789abcdef",
    evidence: "none",
    gateway: "pending",
  });
  expect((await make().app.inject({ url: "/readyz" })).statusCode).toBe(200);
  expect((await make().app.inject({ url: "/livez" })).statusCode).toBe(200);
});
