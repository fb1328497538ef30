import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../src/server/log.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const secretKey = "5ec2e7".repeat(11).slice(0, 64);
const logged: string[] = [];
const secrets = new Map<string, string>([
  ["secret key", secretKey],
  ["query", "canaryquery"],
  ["post", "canarypost"],
  ["idempotency key", "canaryidempotency"],
  ["wrong key", "canarywrongkey"],
  ["webhook's address", "canaryhook"],
  ["part of an address", "canaryaddress"],
  ["header", "canaryheader"],
]);
let service: ServiceUnderTest;
let metrics = "";

beforeAll(async () => {
  const log = createLog("trace", { write: (line) => logged.push(line) });
  const settings = {
    EARSHOT_SECRET_KEY: secretKey,
    // The failing search below runs in a reader thread.
    EARSHOT_FAST_PATH: "off",
    EARSHOT_MAX_ATTEMPTS: "1",
    EARSHOT_NETWORK_REPLAY_TOKEN: "canaryreplaytoken",
  };
  secrets.set("setting that is secret", "canaryreplaytoken");
  service = await startServiceUnderTest(settings, { log });
  const key = await service.makeKey();
  secrets.set("API key", key).set("secret half of the API key", key.split("_").at(-1) ?? "");
  await service.addPosts(
    Array.from({ length: 5 }, (_, n) =>
      makePost({ key: `k${n}`, text: `canaryquery canarypost ${n}`, createdMs: Date.now() - n }),
    ),
  );

  const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
    service.call(key, {
      method: "POST",
      url,
      headers: { "content-type": "application/json", ...headers },
      payload: typeof payload === "string" ? payload : JSON.stringify(payload),
    });
  const get = (url: string, headers: Record<string, string> = {}) =>
    service.call(key, { method: "GET", url, headers });

  const hook = await post("/v1/webhooks", { url: "https://canaryhook.example/canaryaddress" });
  expect(hook.statusCode, hook.body).toBe(201);
  secrets.set("webhook's secret", hook.json().secret);

  const live = "/v1/search/live/social";
  const requested = search("canaryquery", { max_results: 2 });
  const once = { "idempotency-key": "canaryidempotency", "x-anything": "canaryheader" };
  const { uuid } = (await post(live, requested, once)).json();
  await post(live, requested, once);
  await post(live, search("canaryquery other"), once);
  const result = await service.result(key, uuid);
  expect(result.body).toContain("canarypost");
  const cursor = String(result.headers["x-next-cursor"]);
  expect(cursor.length).toBeGreaterThan(20);
  secrets.set("cursor", cursor);
  await post(live, search("canaryquery", { next_cursor: cursor }));
  await post(live, search("canaryquery other", { next_cursor: cursor }));

  await post(live, search('"canaryquery'));
  await post(live, '{"type":"canaryquery');
  await post(live, { type: "social", arguments: { type: "searchbyquery", canaryquery: 1 } });
  await post("/v1/search/social", { ...requested, wait: 5 });
  await get("/v1/search/social/counts?query=canaryquery");
  await get(`/v1/search/live/social/jobs?cursor=${cursor}&canaryquery=1`);
  await get("/canaryaddress/canaryquery?token=canaryquery");
  await get("/v1/search/live/canaryaddress/status/canaryquery");
  await get("/%zz/canaryaddress");
  await service.call("canarywrongkey", { method: "GET", url: `${live}/status/${uuid}` });
  await service.call(null, { method: "GET", url: "/livez", headers: { cookie: "canaryheader" } });

  const session = await service.signIn();
  const asSession = (method: "POST" | "PATCH", url: string, payload?: object) =>
    service.callAs(session, { method, url, ...(payload === undefined ? {} : { payload }) });
  const keys = "/dashboard/api/keys";
  const { token: firstKey } = (await asSession("POST", `${keys}/first`)).json();
  const created = (await asSession("POST", keys, { name: "canarykeyname" })).json();
  const rotation = await asSession("POST", `${keys}/${created.key.id}/rotate`, {
    overlap_hours: 1,
  });
  await asSession("PATCH", `${keys}/${created.key.id}`, { name: "canarykeyname" });
  await asSession("POST", keys, { name: "canarykeyname\n" });
  const ownKeys = { "first key": firstKey, key: created.token, successor: rotation.json().token };
  for (const [what, token] of Object.entries(ownKeys)) {
    await service.call(token, { method: "GET", url: `${live}/jobs` });
    await service.call(`${token}x`, { method: "GET", url: `${live}/jobs` });
    secrets.set(what, token).set(`secret half of the ${what}`, token.split("_").at(-1) ?? "");
  }
  secrets.set("name of a key", "canarykeyname");

  const visitor = await service.signIn();
  secrets.set("session's secret", visitor.cookie.split(".").at(-1) ?? "").set("csrf", visitor.csrf);
  await service.callAs(visitor, { url: "/dashboard/api/session" });
  await service.callAs(visitor, { method: "POST", url: "/v1/webhooks", payload: {} });
  const link = "canarylink".padEnd(43, "x");
  secrets.set("token of a link", link);
  await service.callAs(visitor, {
    method: "POST",
    url: "/dashboard/api/sign-in",
    payload: { token: link },
  });
  const stale = visitor.cookie.slice(0, -6).concat("canary");
  await service.callAs({ ...visitor, cookie: stale }, { url: "/dashboard/api/sessions" });

  service.context.archive.search = () =>
    Promise.reject(new Error('fts5: syntax error near "canaryquery"'));
  const failed = (await post(live, search("canaryquery"))).json();
  expect((await service.result(key, failed.uuid)).statusCode).toBe(500);
  metrics = await service.context.http.metrics.text();
  await service.stop();
});

afterAll(() => service.remove());

test("the log records the start, requests, ended jobs and failed attempts", () => {
  const messages = logged.map((line) => JSON.parse(line).msg);
  for (const message of ["starting", "request", "job ended", "an attempt failed"]) {
    expect(messages).toContain(message);
  }
  const ended = logged.map((line) => JSON.parse(line)).find(({ msg }) => msg === "job ended");
  expect(ended).toMatchObject({
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    method: "searchbyquery",
    state: "done",
    attempts: 1,
    ms: expect.any(Number),
  });
});

test("neither log nor metrics contain a query, a post, a key or another secret", () => {
  const lines = logged.join("");
  for (const [what, secret] of secrets) {
    expect(secret.length, what).toBeGreaterThan(8);
    expect(lines.includes(secret), `the log contains the ${what}`).toBe(false);
    expect(metrics.includes(secret), `a metric contains the ${what}`).toBe(false);
  }
});
