import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import { createTestBrowser, type TestBrowser } from "../../testkit/service/test-browser.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let service: ServiceUnderTest;
let withPublicUrl: ServiceUnderTest;
beforeAll(async () => {
  [service, withPublicUrl] = await Promise.all([
    startServiceUnderTest({
      EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "1000",
      EARSHOT_SIGN_INS_PER_MINUTE: "1000",
      EARSHOT_MAX_SESSIONS: "3",
    }),
    startServiceUnderTest({
      EARSHOT_PUBLIC_URL: "http://named.example",
      EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "2",
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([service.remove(), withPublicUrl.remove()]);
});

const jobs = "/v1/search/live/jobs";

async function status(session: TestSession, options: InjectOptions = {}): Promise<number> {
  return (await service.callAs(session, { url: jobs, ...options })).statusCode;
}

async function openBrowser(session: TestSession): Promise<TestBrowser> {
  const browser = createTestBrowser(service);
  const [name = "", value = ""] = session.cookie.split("=");
  browser.cookies.set(name, value);
  return browser;
}

async function linkToken(accountId: string | null = null): Promise<string> {
  const nowMs = service.clock.now();
  const { store } = service.context;
  const expiresMs = nowMs + 900_000;
  return await store.write("makeSignInLink", {
    accountId,
    actor: "command_line",
    nowMs,
    expiresMs,
  });
}

async function ownAudit(session: TestSession): Promise<string[]> {
  const { accountId } = session;
  const requested = { accountId, before: null, limit: 10 };
  const entries = await service.context.store.read("readAudit", requested);
  return entries.map(({ action }) => action);
}

test("a dashboard page can search with its session cookie", async () => {
  const session = await service.signIn();
  const submitted = await service.callAs(session, {
    method: "POST",
    url: "/v1/search/live/social",
    payload: search("comet"),
  });
  expect(submitted.statusCode).toBe(202);
  const { uuid } = submitted.json();
  const result = await service.callAs(session, {
    url: `/v1/search/live/social/result/${uuid}?wait=30`,
  });
  expect(result.statusCode).toBe(200);
  expect(result.headers["ratelimit-policy"]).toBe('"burst";q=1000;w=1, "search";q=10;w=60');
  const other = await service.signIn();
  expect(await status(other, { url: `/v1/search/live/social/status/${uuid}` })).toBe(404);
});

withFileStore("sessions of one account share a rate that is separate from its keys'", async () => {
  const first = await withPublicUrl.signIn();
  const second = await withPublicUrl.signIn({ accountId: first.accountId });
  await withPublicUrl.callAs(first, { url: jobs });
  await withPublicUrl.callAs(second, { url: jobs });
  const third = await withPublicUrl.callAs(first, { url: jobs });
  expect(third.statusCode).toBe(429);
  expect(third.json().code).toBe("rate_limited");
  withPublicUrl.clock.move(1_000);
  expect((await withPublicUrl.callAs(first, { url: jobs })).statusCode).toBe(200);
});

test("a request with both a key and a cookie is authenticated by the key", async () => {
  const session = await service.signIn();
  const key = await service.makeKey({ submissionsPerMinute: 77 });
  const { headers } = await service.call(key, {
    url: jobs,
    headers: { cookie: session.cookie, "sec-fetch-site": "cross-site" },
  });
  expect(headers["ratelimit-policy"]).toContain("q=77");
  const wrong = await service.call("not-a-key", { url: jobs, headers: { cookie: session.cookie } });
  expect(wrong.json().code).toBe("unauthorized");
});

test("dashboard paths do not accept API keys", async () => {
  const key = await service.makeKey();
  const response = await service.call(key, { url: "/dashboard/api/sessions" });
  expect(response.statusCode).toBe(401);
  expect(response.json().code).toBe("session_needed");
  expect(response.headers).toMatchObject({
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
});

test("operator routes return 404 to accounts that are not operators", async () => {
  const url = "/dashboard/api/operator/accounts";
  expect(await status(await service.signIn(), { url })).toBe(404);
  expect(await status(await service.signIn({ role: "operator" }), { url })).toBe(200);
});

test.each<[string, Record<string, string | undefined>]>([
  ["no Origin", { origin: undefined }],
  ["the Origin of another site", { origin: "http://evil.example" }],
  ["the Origin of another port", { origin: "http://earshot.test:81" }],
  ["the Origin null", { origin: "null" }],
  ["an Origin with a path", { origin: "http://earshot.test/x" }],
  ["no token", { "x-earshot-csrf": undefined }],
  ["an empty token", { "x-earshot-csrf": "" }],
  ["a made-up token", { "x-earshot-csrf": "A".repeat(43) }],
  ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
  ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
])("a state-changing request with %s is rejected", async (_what, headers) => {
  const session = await service.signIn();
  for (const url of ["/dashboard/api/sign-out", "/v1/search/live/social"]) {
    const { app } = service;
    const options = {
      cookie: session.cookie,
      host: "earshot.test",
      origin: "http://earshot.test",
      "sec-fetch-site": "same-origin",
      "x-earshot-csrf": session.csrf,
      ...headers,
    };
    const present = Object.fromEntries(
      Object.entries(options).filter((field): field is [string, string] => field[1] !== undefined),
    );
    const response = await app.inject({
      method: "POST",
      url,
      headers: present,
      payload: search("comet"),
    });
    expect(response.statusCode).toBe(403);
    expect(response.json().code).toBe("forbidden_origin");
  }
  expect(await status(session)).toBe(200);
});

test("a CSRF token of another session is rejected", async () => {
  const [mine, theirs] = [await service.signIn(), await service.signIn()];
  const options = { method: "POST" as const, url: "/dashboard/api/sign-out" };
  expect(await status({ ...mine, csrf: theirs.csrf }, options)).toBe(403);
  expect(await status(mine, options)).toBe(204);
});

test("a cross-site request with the session cookie is rejected", async () => {
  const session = await service.signIn();
  const headers = { "sec-fetch-site": "cross-site" };
  expect(await status(session, { headers })).toBe(403);
  expect(await status(session, { url: "/dashboard/api/session", headers })).toBe(403);
});

test("if a public URL is configured, only its Origin is accepted", async () => {
  const session = await withPublicUrl.signIn();
  const options = { method: "POST" as const, url: "/dashboard/api/sign-out" };
  const headers = { origin: "http://earshot.test" };
  expect((await withPublicUrl.callAs(session, { ...options, headers })).statusCode).toBe(403);
  expect((await withPublicUrl.callAs(session, options)).statusCode).toBe(204);
});

test("a sign-in provider that is not configured returns 404", async () => {
  const browser = createTestBrowser(service);
  expect((await browser.session()).providers).toEqual([]);
  for (const path of ["/auth/github", "/auth/github/callback", "/auth/constructor"]) {
    expect((await browser.visit(path)).statusCode).toBe(404);
  }
});

test("signing out ends the session and clears the cookie", async () => {
  const session = await service.signIn();
  const browser = await openBrowser(session);
  await browser.session();
  expect((await browser.send("POST", "/dashboard/api/sign-out")).statusCode).toBe(204);
  expect(browser.cookies.size).toBe(0);
  expect(await status(session)).toBe(401);
  expect(await ownAudit(session)).toContain("signed_out");
});

test("signing out everywhere ends all sessions of the account and no others", async () => {
  const first = await service.signIn();
  const second = await service.signIn({ accountId: first.accountId });
  const other = await service.signIn();
  const options = { method: "POST" as const, url: "/dashboard/api/sign-out-everywhere" };
  expect(await status(first, options)).toBe(204);
  expect([await status(first), await status(second), await status(other)]).toEqual([401, 401, 200]);
  expect(await ownAudit(first)).toContain("sessions_ended");
});

test("a user can list the account's active sessions and end one of them", async () => {
  const first = await service.signIn();
  const second = await service.signIn({ accountId: first.accountId });
  const listed = await service.callAs(first, { url: "/dashboard/api/sessions" });
  const { sessions } = listed.json();
  expect(sessions).toHaveLength(2);
  expect(sessions).toContainEqual({
    id: first.id,
    is_this: true,
    method: "github",
    agent: "a test",
    address_group: "127.0.0.1",
    created_at: expect.any(String),
    used_at: expect.any(String),
    expires_at: expect.any(String),
  });
  const url = `/dashboard/api/sessions/${second.id}`;
  expect(await status(await service.signIn(), { method: "DELETE", url })).toBe(404);
  expect(await status(first, { method: "DELETE", url })).toBe(204);
  expect([await status(first), await status(second)]).toEqual([200, 401]);
});

test("signing in beyond the session limit ends the least recently used session", async () => {
  const oldest = await service.signIn();
  const { accountId } = oldest;
  service.clock.move(1);
  const second = await service.signIn({ accountId });
  service.clock.move(1);
  const third = await service.signIn({ accountId });
  service.clock.move(1);
  const fourth = await service.signIn({ accountId });
  const left = await Promise.all([oldest, second, third, fourth].map((session) => status(session)));
  expect(left).toEqual([401, 200, 200, 200]);
  expect(await ownAudit(fourth)).toContain("session_ended");
});

test("a session ends seven days after its last use", async () => {
  const session = await service.signIn();
  service.clock.move(7 * dayMs - 60_000);
  expect(await status(session)).toBe(200);
  await settled();
  service.clock.move(7 * dayMs - 60_000);
  expect(await status(session)).toBe(200);
  await settled();
  service.clock.move(7 * dayMs);
  expect(await status(session)).toBe(401);
});

test("a session ends thirty days after sign-in, regardless of its use", async () => {
  const session = await service.signIn();
  for (let day = 0; day < 29; day += 1) {
    service.clock.move(dayMs);
    expect(await status(session)).toBe(200);
    await settled();
  }
  service.clock.move(dayMs);
  const response = await service.callAs(session, { url: jobs });
  expect(response.statusCode).toBe(401);
  expect(response.headers["set-cookie"]).toBeUndefined();
  const requested = await service.callAs(session, { url: "/dashboard/api/session" });
  expect(String(requested.headers["set-cookie"])).toMatch(/^earshot=; Max-Age=0;/);
});

test("the session cookie's secret is rotated after an hour, and the user stays signed in", async () => {
  const browser = await openBrowser(await service.signIn());
  const before = browser.cookies.get("earshot");
  await browser.session();
  expect(browser.cookies.get("earshot")).toBe(before);
  service.clock.move(hourMs);
  const { signed_in } = await browser.session();
  expect(signed_in).not.toBeNull();
  expect(browser.cookies.get("earshot")).not.toBe(before);
  expect((await browser.session()).signed_in.csrf).toBe(signed_in.csrf);
});

test("a rotated session secret is valid for one more minute, and using it later ends the session", async () => {
  const session = await service.signIn();
  const browser = await openBrowser(session);
  service.clock.move(hourMs);
  await browser.session();
  await browser.session();
  await settled();
  service.clock.move(59_000);
  expect(await status(session)).toBe(200);
  service.clock.move(2_000);
  expect(await status(session)).toBe(401);
  expect((await browser.session()).signed_in).toBeNull();
  expect(await ownAudit(session)).toContain("session_stolen");
});

test("using a session secret from before the last rotation ends the session", async () => {
  const session = await service.signIn();
  const browser = await openBrowser(session);
  for (let turn = 0; turn < 3; turn += 1) {
    service.clock.move(hourMs);
    await browser.session();
    await browser.session();
    await settled();
  }
  expect(await status(session)).toBe(401);
  expect((await browser.session()).signed_in).toBeNull();
});

test("a response that is lost or arrives out of order does not end the session", async () => {
  const session = await service.signIn();
  service.clock.move(hourMs);
  const requested = { url: "/dashboard/api/session" };
  const late = await service.callAs(session, requested);
  service.clock.move(hourMs);
  const browser = await openBrowser(session);
  expect((await browser.session()).signed_in).not.toBeNull();
  expect((await browser.session()).signed_in).not.toBeNull();
  await settled();
  service.clock.move(120_000);
  const [cookie = ""] = String(late.headers["set-cookie"]).split(";");
  expect(cookie).not.toBe(session.cookie);
  expect(await status({ ...session, cookie })).toBe(200);
});

test("the id of a session is not enough to use or end the session", async () => {
  const session = await service.signIn();
  const [name = "", value = ""] = session.cookie.split("=");
  const [handle = "", generation, clientHash] = value.split(".");
  expect(handle).not.toContain(session.id);
  for (const forged of [
    `${session.id}.${generation}.${clientHash}.${"A".repeat(43)}`,
    `${handle}.${generation}.${clientHash}.${"A".repeat(43)}`,
  ]) {
    expect(await status({ ...session, cookie: `${name}=${forged}` })).toBe(401);
  }
  expect(await status(session)).toBe(200);
});

test("a late request with the cookie of an ended session does not clear the browser's current cookie", async () => {
  const session = await service.signIn();
  await service.callAs(session, { method: "POST", url: "/dashboard/api/sign-out" });
  const response = await service.callAs(session, { url: jobs });
  expect(response.statusCode).toBe(401);
  expect(response.headers["set-cookie"]).toBeUndefined();
});

test("responses to a session forbid caching and content sniffing", async () => {
  const session = await service.signIn();
  for (const url of [jobs, "/v1/search/live/social/result/0", "/dashboard/api/nothing"]) {
    const { headers } = await service.callAs(session, { url });
    expect(headers).toMatchObject({
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    });
  }
  const outsider = await service.app.inject({ url: "/dashboard/api/nothing" });
  expect(outsider.statusCode).toBe(404);
  expect(outsider.headers["cache-control"]).toBe("private, no-store");
});

test.each([
  "earshot=",
  "earshot=x",
  `earshot=${"0".repeat(22)}.1.--------.${"A".repeat(43)}`,
  "earshot=%00%ff; earshot=..",
  `earshot=${"x".repeat(8_000)}`,
])("a malformed session cookie is ignored: %s", async (cookie) => {
  const { app } = service;
  const response = await app.inject({ url: jobs, headers: { cookie } });
  expect(response.statusCode).toBe(401);
  const page = await app.inject({ url: "/dashboard/api/session", headers: { cookie } });
  expect(page.json().signed_in).toBeNull();
});

test("a sign-in link signs the operator in once", async () => {
  const token = await linkToken();
  const browser = createTestBrowser(service);
  const options = { payload: { token } };
  const response = await browser.send("POST", "/dashboard/api/sign-in", options);
  expect(response.statusCode).toBe(200);
  expect(response.json().signed_in.account).toMatchObject({
    name: "operator",
    role: "operator",
    provider: null,
  });
  expect((await browser.session()).signed_in.session_id).toBe(response.json().signed_in.session_id);
  const again = await createTestBrowser(service).send("POST", "/dashboard/api/sign-in", options);
  expect(again.statusCode).toBe(401);
  expect(again.json().code).toBe("sign_in_link_invalid");
});

test("a sign-in link for an account signs in to that account and does not change its role", async () => {
  const { accountId } = await service.context.store.write("createKey", {
    name: "test",
    accountName: "laptop",
    requestsPerSecond: null,
    submissionsPerMinute: null,
    nowMs: service.clock.now(),
  });
  const token = await linkToken(accountId);
  const browser = createTestBrowser(service);
  const response = await browser.send("POST", "/dashboard/api/sign-in", { payload: { token } });
  expect(response.json().signed_in.account).toMatchObject({ name: "laptop", role: "member" });
});

test("a sign-in link expires after fifteen minutes", async () => {
  const token = await linkToken();
  service.clock.move(900_001);
  const browser = createTestBrowser(service);
  const response = await browser.send("POST", "/dashboard/api/sign-in", { payload: { token } });
  expect(response.json().code).toBe("sign_in_link_invalid");
});

test("another site cannot sign a browser in with its own link", async () => {
  const token = await linkToken();
  const browser = createTestBrowser(service, "http://evil.example");
  const response = await browser.send("POST", "/dashboard/api/sign-in", {
    payload: { token },
    headers: { "sec-fetch-site": "cross-site" },
  });
  expect(response.json().code).toBe("forbidden_origin");
  expect(browser.cookies.size).toBe(0);
});

test("expired sessions are removed from the store", async () => {
  const session = await service.signIn();
  service.clock.move(31 * dayMs);
  const { store } = service.context;
  const nowMs = service.clock.now();
  await store.write("sweepSessions", { idleMs: 7 * dayMs, nowMs });
  service.clock.move(-31 * dayMs);
  expect(await status(session)).toBe(401);
});

/** Waits for background writes. */
async function settled(): Promise<void> {
  await service.context.store.write("open", null);
}
