import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer } from "node:http";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemExample } from "../../src/http/problems/page.ts";
import { type ProblemCode, problems } from "../../src/http/problems/problems.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type HandDrivenNode,
  handDrivenNode,
  makeItem,
} from "../../testkit/nodes/hand-driven-node.ts";
import { storeNode } from "../../testkit/nodes/stored-node.ts";
import { connectTo } from "../../testkit/service/connect-to.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

/** These tests cause every error by sending its documented request. */
type Refusal = { status: number; type: string; body: Record<string, unknown> };

let service: ServiceUnderTest;
let idle: ServiceUnderTest;
let operator: TestSession | null = null;
let key: string;
let idleKey: string;
let receiverPort: number;
const path = "/v1/search/live/social";
const json = { "content-type": "application/json" };

beforeAll(async () => {
  receiverPort = await freePort();
  [service, idle] = await Promise.all([
    startServiceUnderTest({
      EARSHOT_RESULT_RETENTION: "1h",
      EARSHOT_MAX_WEBHOOKS: "2",
      EARSHOT_CREDENTIAL_CHECKS_PER_MINUTE: "2",
      EARSHOT_WEBHOOK_ALLOW_HTTP: "on",
      EARSHOT_WEBHOOK_PRIVATE_HOSTS: `http://127.0.0.1:${receiverPort}`,
    }),
    startServiceUnderTest({
      EARSHOT_NODE_CONCURRENCY: "0",
      EARSHOT_MAX_WAITING_JOBS: "1",
      EARSHOT_MAX_ATTEMPTS: "1",
      EARSHOT_NODES_EVIDENCE: "none",
    }),
  ]);
  [key, idleKey] = await Promise.all([service.makeKey(), idle.makeKey()]);
  const createdMs = service.clock.now() - 60_000;
  const post = (name: string) =>
    makePost({ key: name, text: `comet ${name}`, createdMs, createdAt: iso(createdMs) });
  await service.addPosts([post("one"), post("two")]);
});
afterAll(async () => {
  await Promise.all([service.remove(), idle.remove()]);
});

const iso = (ms: number) => new Date(ms).toISOString();

async function call(options: InjectOptions, caller: string | null = key): Promise<Refusal> {
  return responseRefusal(await service.call(caller, options));
}

const responseRefusal = (response: LightMyRequestResponse): Refusal => ({
  status: response.statusCode,
  type: String(response.headers["content-type"]),
  body: response.json(),
});

const get = (url: string, caller: string | null = key) => call({ method: "GET", url }, caller);

function post(
  body: unknown,
  url = path,
  headers: Record<string, string> = json,
  caller: string | null = key,
) {
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  return call({ method: "POST", url, headers, payload }, caller);
}

const method = (name: string, type = "social") => ({ type, arguments: { type: name } });

/** Replaces a member for the duration of `run`. */
async function withReplaced<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  value: Owner[Name],
  run: () => Promise<Refusal>,
): Promise<Refusal> {
  const before = owner[name];
  owner[name] = value;
  try {
    return await run();
  } finally {
    owner[name] = before;
  }
}

async function resultAfter(settle: (uuid: string) => Promise<unknown>): Promise<Refusal> {
  const { uuid } = (await idle.submit(idleKey, search("comet"))).json();
  await settle(uuid);
  const url = `${path}/result/${uuid}`;
  const response = await idle.call(idleKey, { method: "GET", url });
  const type = String(response.headers["content-type"]);
  return { status: response.statusCode, type, body: response.json() };
}

async function failWith(
  code: string,
  message: string,
  status: number,
  retryable = false,
): Promise<void> {
  const lease = await idle.context.queue.lease(
    { nodeId: "test", methods: ["searchbyquery"] },
    1_000,
  );
  if (lease === null) throw new Error("no job is waiting");
  const failure = { code, message, status, retryable };
  await idle.context.queue.fail(lease.uuid, lease.token, failure);
}

async function rawAnswer(request: string, concurrent: () => void = () => undefined) {
  const socket = await connectTo(service.url);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  // `once` would reject on the connection's error.
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(request);
  const checks = setInterval(concurrent, 50);
  socket.once("data", () => clearInterval(checks));
  await closed;
  clearInterval(checks);
  const [head = "", body = ""] = Buffer.concat(chunks).toString().split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
  const type = /content-type: (.*)/i.exec(head)?.[1] ?? "";
  return { status, type, body: JSON.parse(body) };
}

/** Runs Node's periodic check immediately, with short timeouts. */
function checkForSlowRequests(): void {
  const { server } = service.app;
  const interval = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === "http.server.connectionsCheckingInterval",
  );
  if (interval === undefined) throw new Error("the server has no check for slow requests");
  const { requestTimeout, headersTimeout } = server;
  Object.assign(server, { requestTimeout: 1, headersTimeout: 1 });
  Reflect.get(server, interval)._onTimeout();
  Object.assign(server, { requestTimeout, headersTimeout });
}

async function asUser(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  url: string,
  body?: unknown,
  session?: TestSession,
): Promise<Refusal> {
  const payload = body === undefined ? {} : { headers: json, payload: JSON.stringify(body) };
  const response = await service.callAs(session ?? (await service.signIn()), {
    method,
    url,
    ...payload,
  });
  const type = String(response.headers["content-type"]);
  return { status: response.statusCode, type, body: response.body === "" ? {} : response.json() };
}

const signInFrom = (remoteAddress: string): Promise<Refusal> =>
  call(
    {
      method: "POST",
      url: "/dashboard/api/sign-in",
      headers: { ...json, host: "earshot.test", origin: "http://earshot.test" },
      payload: JSON.stringify({ token: "A".repeat(43) }),
      remoteAddress,
    },
    null,
  );

const keysPath = "/dashboard/api/keys";

async function ownKey(requested: object = {}) {
  const session = await service.signIn();
  const { body } = await asUser("POST", keysPath, { name: "laptop", ...requested }, session);
  const { key, token } = body as { key: { id: string }; token: string };
  return { session, token, url: `${keysPath}/${key.id}` };
}

const newCredential = { platform: "x", kind: "app-token", fields: { token: "abc" } };

const noEvidence = { quote: null, event_log: null, vm_config: null };

let approved: Promise<HandDrivenNode> | null = null;

function approvedNode(): Promise<HandDrivenNode> {
  approved ??= approveNode();
  return approved;
}

async function approveNode(): Promise<HandDrivenNode> {
  const node = await handDrivenNode(idle, { evidence: "none", evidenceFor: () => noEvidence });
  await node.attest();
  const approval = { nodeId: node.nodeId, change: "approve", actor: "command_line" } as const;
  await idle.context.store.write("changeNode", { ...approval, nowMs: idle.clock.now() });
  await node.attest();
  return node;
}

const exampleJob = "0f8fad5b-d9cb-469f-a165-70867728950e";

const exampleWebhook = "wh_4fK2nQ7sVd81LmXzRt0B";

async function ownedWebhook(): Promise<{ owner: string; webhook: string }> {
  const owner = await service.makeKey();
  const url = `http://127.0.0.1:${receiverPort}/earshot`;
  const created = await post({ url }, "/v1/webhooks", json, owner);
  return { owner, webhook: `/v1/webhooks/${created.body.id}` };
}

/** Demotes an account or, without an id, the only operator. */
async function changeAccount(accountId: string | null): Promise<Refusal> {
  operator ??= await idle.signIn({ role: "operator" });
  const response = await idle.callAs(operator, {
    method: "PATCH",
    url: `/dashboard/api/operator/accounts/${accountId ?? operator.accountId}`,
    payload: { role: "member" },
  });
  const type = String(response.headers["content-type"]);
  return { status: response.statusCode, type, body: response.json() };
}

const exampleNode = "5d1f0c2ab37e9946";

async function changeNode(id: string, change: "approve" | "drain"): Promise<Refusal> {
  operator ??= await idle.signIn({ role: "operator" });
  const url = `/dashboard/api/operator/nodes/${id}/${change}`;
  const response = await idle.callAs(operator, { method: "POST", url });
  const type = String(response.headers["content-type"]);
  return { status: response.statusCode, type, body: response.json() };
}

const causes: Readonly<Record<ProblemCode, () => Promise<Refusal>>> = {
  invalid_json: () => post('{"type":'),
  invalid_request: () => post(search("comet", { max_results: 500 })),
  invalid_query: () => post(search("comet since:2021-1-5")),
  method_not_supported: () => post(method("gettrends", "social-api")),
  platform_mismatch: () => post({ ...search("comet"), type: "twitter" }, "/v1/search/live/bluesky"),
  cursor_invalid: () => post(search("comet", { next_cursor: "abc" })),
  cursor_mismatch: async () => {
    const { uuid } = (await service.submit(key, search("comet", { max_results: 1 }))).json();
    const cursor = (await service.result(key, uuid)).headers["x-next-cursor"];
    return await post(search("aurora", { next_cursor: cursor }));
  },
  webhook_url_refused: () => post({ url: "https://192.168.1.20/earshot" }, "/v1/webhooks"),
  unauthorized: () => call({ method: "POST", url: path, headers: json, payload: "{}" }, null),
  not_found: () => get("/v1/search/live/blusky/status/0f8fad5b-d9cb-469f-a165-70867728950e"),
  node_unauthorized: () =>
    post({ methods: ["searchbyquery"], wait_ms: 0 }, "/internal/nodes/lease"),
  node_refused: async () => {
    const node = await handDrivenNode(idle, { evidence: "none", evidenceFor: () => noEvidence });
    const registration = await node.registration({ nonce: "A".repeat(43) });
    return responseRefusal(await node.post("register", registration));
  },
  lease_lost: async () => {
    const staleLease = { job: exampleJob, token: "2f1d6a35-0c0e-4a9d-9c4e-5b1c7d0e9a2f" };
    return responseRefusal(await (await approvedNode()).post("renew", staleLease));
  },
  node_answer_refused: async () => {
    const node = await approvedNode();
    await idle.submit(idleKey, search("comet"));
    const { envelope, payload } = await node.lease();
    const sealed = { nonce: "A".repeat(16), sealed: "AAAA" };
    const answer = { job: envelope.job, token: payload.token, ...sealed };
    return responseRefusal(await node.post("complete", answer));
  },
  proof_not_found: async () => {
    const { uuid } = (await service.submit(key, search("comet"))).json();
    await service.result(key, uuid);
    return await get(`${path}/result/${uuid}/proof`);
  },
  proof_withdrawn: async () => {
    const node = await approvedNode();
    const { uuid } = (await idle.submit(idleKey, search("comet"))).json();
    const job = await node.lease();
    const createdMs = idle.clock.now() - 60_000;
    const item = makeItem(BigInt(createdMs) << 20n, createdMs);
    await node.complete(job, node.signAnswer(job, [item]));
    const { platform, uri } = item;
    await idle.context.archive.write({
      changes: [{ kind: "delete", platform, uri: String(uri), revision: "3zzzzzzzzzzzz" }],
    });
    const url = `${path}/result/${uuid}/proof`;
    return responseRefusal(await idle.call(idleKey, { method: "GET", url }));
  },
  attestation_not_found: () => get(`/v1/attestations/${"A".repeat(43)}`, null),
  session_needed: () => get("/dashboard/api/sessions", null),
  sign_in_link_invalid: () => signInFrom("198.51.100.8"),
  forbidden_origin: async () => {
    const { cookie } = await service.signIn();
    const headers = { cookie, "sec-fetch-site": "cross-site" };
    return await call({ method: "POST", url: "/dashboard/api/sign-out", headers }, null);
  },
  app_not_found: () => asUser("DELETE", "/dashboard/api/apps/4fK2nQ7s"),
  invalid_authorization_request: () =>
    asUser("POST", "/dashboard/api/authorizations", { query: "response_type=code" }),
  client_not_accepted: () =>
    asUser("POST", "/dashboard/api/authorizations", {
      query: "client_id=my-app&redirect_uri=https://app.example/callback",
    }),
  session_not_found: () => asUser("DELETE", "/dashboard/api/sessions/4fK2nQ7sVd81LmXz"),
  too_many_sign_ins: async () => {
    for (let count = 0; count < 30; count++) await signInFrom("198.51.100.9");
    return await signInFrom("198.51.100.9");
  },
  job_not_found: () => get(`${path}/status/0f8fad5b-d9cb-469f-a165-70867728950e`),
  credential_not_found: () => asUser("DELETE", "/dashboard/api/credentials/fQ3kZ8xT1a"),
  authorization_not_found: () =>
    asUser("POST", "/dashboard/api/credentials/authorizations/4fK2nQ7sVd81LmXzRt0BaQ", {
      answer: "http://127.0.0.1/callback?code=abc",
    }),
  key_not_found: () => asUser("DELETE", `${keysPath}/nobody00`),
  first_key_shown: async () => {
    const { session } = await ownKey();
    return await asUser("POST", `${keysPath}/first`, undefined, session);
  },
  key_ended: async () => {
    const { session, url } = await ownKey();
    await asUser("DELETE", url, undefined, session);
    return await asUser("PATCH", url, { name: "desktop" }, session);
  },
  too_many_keys: async () => {
    const { session } = await ownKey();
    const makeOne = () => asUser("POST", keysPath, { name: "another" }, session);
    for (let count = 1; count < 5; count++) await makeOne();
    return await makeOne();
  },
  method_forbidden: async () => {
    const { token } = await ownKey({ methods: ["gettrends"] });
    return await post(search("comet"), path, json, token);
  },
  account_suspended: async () => {
    const { session, token } = await ownKey();
    const url = `/dashboard/api/operator/accounts/${session.accountId}`;
    const operator = await service.signIn({ role: "operator" });
    await asUser("PATCH", url, { suspended: true }, operator);
    return await post(search("comet"), path, json, token);
  },
  account_not_found: () => changeAccount("4fK2nQ7sVd81"),
  node_not_found: () => changeNode("8d1f4c02b7a96e35", "approve"),
  node_not_approved: async () => {
    await storeNode(idle, { id: exampleNode, state: "pending" });
    return await changeNode(exampleNode, "drain");
  },
  node_removed: async () => {
    await storeNode(idle, { id: exampleNode, state: "removed" });
    return await changeNode(exampleNode, "approve");
  },
  webhook_not_found: () => get(`/v1/webhooks/${exampleWebhook}`),
  delivery_not_found: async () => {
    const { owner, webhook } = await ownedWebhook();
    const delivery = "msg_9b74c9897bac770ffc029102a200c5de";
    return await post("{}", `${webhook}/deliveries/${delivery}/replay`, json, owner);
  },
  method_not_allowed: () => get(path),
  not_acceptable: () =>
    post(search("comet"), "/v1/search/social", { ...json, accept: "text/html" }),
  request_timeout: () => rawAnswer("GET /livez HTTP/1.1\r\nHost: a\r\n", checkForSlowRequests),
  too_many_credentials: () =>
    withReplaced(
      service.context.http.credentials,
      "add",
      () =>
        Promise.reject(
          new EarshotError(
            "too_many_credentials",
            "the account has reached its credential limit for the platform",
            { status: 409, hint: "disconnect one first" },
          ),
        ),
      () => asUser("POST", "/dashboard/api/credentials", newCredential),
    ),
  last_operator: () => changeAccount(null),
  too_many_webhooks: async () => {
    const webhook = { url: "https://example.com/earshot" };
    for (let count = 0; count < 2; count++) await post(webhook, "/v1/webhooks");
    return await post(webhook, "/v1/webhooks");
  },
  webhook_disabled: async () => {
    const receiver = createServer((_, response) => response.writeHead(410).end());
    await once(receiver.listen(receiverPort, "127.0.0.1"), "listening");
    const { owner, webhook } = await ownedWebhook();
    await post("{}", `${webhook}/test`, json, owner);
    await until("a disabled webhook", async () => {
      const { body } = await get(webhook, owner);
      return body.status === "disabled" ? body : null;
    });
    receiver.close();
    return await post("{}", `${webhook}/test`, json, owner);
  },
  job_cancelled: () =>
    resultAfter((uuid) => idle.call(idleKey, { method: "DELETE", url: `${path}/status/${uuid}` })),
  result_expired: async () => {
    const { uuid } = (await service.submit(key, search("comet"))).json();
    await service.result(key, uuid);
    // On PostgreSQL, the server's time soon replaces a moved clock.
    return await until("an expired result", async () => {
      service.clock.move(3_600_001);
      const response = await get(`${path}/result/${uuid}`);
      return response.status === 200 ? null : response;
    });
  },
  body_too_large: () => post(search("comet".repeat(14_000))),
  unsupported_media_type: () => post(search("comet"), path, { "content-type": "text/plain" }),
  source_unavailable: () =>
    post({ type: "social", arguments: { type: "getfollowers", query: "did:plc:ann" } }),
  idempotency_mismatch: async () => {
    const headers = { ...json, "idempotency-key": "8e03978e-40d5-43dd-bc93-6894a57f9324" };
    await post(search("comet"), path, headers);
    return await post(search("aurora"), path, headers);
  },
  credential_invalid: () => asUser("POST", "/dashboard/api/credentials", newCredential),
  too_many_attempts: async () => {
    const session = await service.signIn();
    const request = () => asUser("POST", "/dashboard/api/credentials", newCredential, session);
    await request();
    await request();
    return await request();
  },
  rate_limited: async () => {
    const slow = await service.makeKey({ requestsPerSecond: 1 });
    const url = "/v1/search/social/counts?query=comet";
    await get(url, slow);
    return await get(url, slow);
  },
  too_many_failed_keys: async () => {
    const from = (token: string): InjectOptions => ({
      method: "GET",
      url: `${path}/status/0f8fad5b-d9cb-469f-a165-70867728950e`,
      headers: { authorization: `Bearer ${token}` },
      remoteAddress: "198.51.100.7",
    });
    for (let count = 0; count < 30; count++) await call(from(`wrong${count}`), null);
    return await call(from(key), null);
  },
  header_too_large: () =>
    rawAnswer(`GET /livez HTTP/1.1\r\nHost: a\r\nX-Padding: ${"a".repeat(20_000)}\r\n\r\n`),
  internal: () =>
    withReplaced(
      service.context.http.jobs,
      "find",
      () => Promise.reject(new Error("nobody foresaw this")),
      () => get(`${path}/status/0f8fad5b-d9cb-469f-a165-70867728950e`),
    ),
  job_failed: () => resultAfter(() => failWith("internal", "internal error", 500)),
  upstream_failed: () =>
    resultAfter(() => failWith("upstream_failed", "public.api.bsky.app returned 503", 502, true)),
  overloaded: async () => {
    await idle.submit(idleKey, search("comet"));
    const response = await idle.submit(idleKey, search("comet"));
    await failWith("internal", "internal error", 500);
    const type = String(response.headers["content-type"]);
    return { status: response.statusCode, type, body: response.json() };
  },
  unavailable: () =>
    withReplaced(
      service.context.http.jobs,
      "submit",
      () =>
        Promise.reject(
          new EarshotError("store_unavailable", "the control store failed: disk I/O error", {
            status: 503,
            retryable: true,
          }),
        ),
      () => post(search("comet")),
    ),
  deadline_exceeded: () =>
    withReplaced(
      service.context.http,
      "countPosts",
      async ({ toMs }) => ({
        buckets: [],
        countedFromMs: toMs,
        complete: false,
        coverage: { fromMs: null, toMs, complete: true, gaps: [], truncated: false, platforms: [] },
        warnings: [],
      }),
      () => get("/v1/search/social/counts?query=comet"),
    ),
};

/** Replaces ids and the wait, which vary, with those in the examples. */
function withExampleNames(body: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(body).replaceAll(/wh_\w+/g, exampleWebhook);
  return JSON.parse(text.replaceAll(/retry in [45]\d s/g, "retry in 60 s"));
}

describe("every problem is returned as its documented example shows", () => {
  test.each(Object.keys(problems) as ProblemCode[])(
    "the problem %s is returned as its documented example shows",
    async (code) => {
      const cause = causes[code];
      expect(cause, "a request that causes it").toBeDefined();
      const { status, type, body } = await cause();
      const { title, retryable, status: registered } = problems[code];
      expect(type).toBe("application/problem+json; charset=utf-8");
      expect(status).toBe(registered);
      expect(body).toMatchObject({ code, title, status, retryable, type: `/docs/errors/${code}` });
      expect(body.error).toBe(body.detail);
      expect(body.request_id).toMatch(/^[0-9a-f-]{36}$/);
      const documented = problemExample(code);
      expect(documented).toEqual({ ...withExampleNames(body), request_id: documented.request_id });
    },
  );
});
