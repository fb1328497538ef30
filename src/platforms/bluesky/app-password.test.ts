import { afterEach, beforeEach, expect, test } from "vitest";
import { type PdsEmulator, startPdsEmulator } from "../../../testkit/emulators/bluesky/pds.ts";
import { asStored, testTools } from "../../../testkit/upstreams/bluesky-credential.ts";
import { blueskyCredentialKinds } from "./credential-kinds.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const password = "abcd-efgh-ijkl-mnop";
const fields = { identifier: "@ann.example", password };
const login = "com.atproto.server.createSession";
const renewal = "com.atproto.server.refreshSession";

let pds: PdsEmulator;
beforeEach(async () => {
  pds = await startPdsEmulator({ did, handle: "ann.example", password });
});
afterEach(async () => {
  await pds.close();
});

function findKind(name: string) {
  const kinds = blueskyCredentialKinds({
    plcUrl: pds.url,
    appviewUrl: pds.url,
    resolveTxt: async () => [],
  });
  const match = kinds.find((kind) => kind.name === name);
  if (match === undefined) throw new Error(`no kind ${name}`);
  return match;
}

async function logIn() {
  const tools = testTools();
  const kind = findKind("app-password");
  const credential = asStored(await kind.make(fields, tools));
  const send = async (method = "app.bsky.feed.getTimeline") =>
    await kind.send(
      {
        url: new URL(`/xrpc/${method}`, pds.url),
        headers: { accept: "application/json" },
        signal: AbortSignal.timeout(5_000),
      },
      credential,
      tools,
    );
  return { kind, tools, credential, send };
}

test("a credential is created from a handle and a password, for the account on its own server", async () => {
  const newCredential = await findKind("app-password").make(fields, testTools());
  expect(newCredential).toMatchObject({
    host: pds.url,
    subject: did,
    subjectName: "ann.example",
    hint: "abcd",
  });
  expect(Object.keys(newCredential.secrets)).toEqual([
    "password",
    "accessToken",
    "refreshToken",
    "lapseMs",
  ]);
  expect(pds.count(login)).toBe(1);
});

test.each([
  ["a wrong password", { ...fields, password: "no" }, /password: .* \(AuthenticationRequired/],
  ["no password", { identifier: "ann.example" }, /password: a value is required/],
  ["no name", { password }, /identifier: a value is required/],
  ["a malformed name", { identifier: "no name", password }, /identifier: no name is neither/],
])("adding an app password reports %s", async (_what, fields, message) => {
  await expect(findKind("app-password").make(fields, testTools())).rejects.toMatchObject({
    code: "credential_invalid",
    message: expect.stringMatching(message),
  });
});

test("no password is sent to a server without TLS if the directory uses TLS", async () => {
  const directory = {
    plcUrl: "https://plc.example",
    appviewUrl: pds.url,
    resolveTxt: async () => [],
  };
  const tools = testTools();
  const kind = blueskyCredentialKinds(directory)[0];
  const fetch: typeof tools.fetch = async (url, options) =>
    await tools.fetch(new URL(url.href.replace("https://plc.example", pds.url)), options);
  await expect(kind?.make(fields, { ...tools, fetch })).rejects.toMatchObject({
    code: "credential_invalid",
    message: expect.stringContaining("does not use TLS"),
  });
  expect(pds.count(login)).toBe(0);
});

test("fifty concurrent callers share one login, and one renewal when the token expires", async () => {
  const { tools, credential, send } = await logIn();
  const sendAll = async () => await Promise.all(Array.from({ length: 50 }, () => send()));
  for (const response of await sendAll()) expect(response.status).toBe(200);
  expect([pds.count(login), pds.count(renewal)]).toEqual([1, 0]);
  tools.time.ms += 2 * 3_600_000;
  for (const response of await sendAll()) expect(response.status).toBe(200);
  expect([pds.count(login), pds.count(renewal), credential.renewals()]).toEqual([1, 1, 1]);
});

test("fifty callers with an expired token share one renewal, and each caller retries", async () => {
  const { send } = await logIn();
  await send();
  pds.revoke("access");
  const responses = await Promise.all(Array.from({ length: 50 }, () => send()));
  expect(responses.every(({ status }) => status === 200)).toBe(true);
  expect([pds.count(login), pds.count(renewal)]).toEqual([1, 1]);
});

test("after a 401, the token is renewed and the request retried", async () => {
  const { send } = await logIn();
  pds.respondNext("app.bsky.feed.getTimeline", { status: 401, json: { error: "AuthMissing" } });
  expect((await send()).status).toBe(200);
  expect(pds.count(renewal)).toBe(1);
});

test("after a rejected renewal, fifty callers share one new login", async () => {
  const { send } = await logIn();
  pds.revoke("all");
  const responses = await Promise.all(Array.from({ length: 50 }, () => send()));
  expect(responses.every(({ status }) => status === 200)).toBe(true);
  expect([pds.count(login), pds.count(renewal)]).toEqual([2, 1]);
});

test("a token's lifetime counts from its receipt, even if the server's clock is wrong", async () => {
  const { tools, send } = await logIn();
  tools.time.ms += 90 * 60_000;
  await send();
  expect(pds.count(renewal)).toBe(0);
});

test("the credential of a taken-down account is refused, and the error states the reason", async () => {
  const { send } = await logIn();
  pds.revoke("all");
  const json = { error: "AccountTakedown", message: "Account has been taken down" };
  pds.respondNext(login, { status: 401, json });
  await expect(send()).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining("AccountTakedown: Account has been taken down"),
  });
});

test("a takedown reported by the renewal takes precedence over the login's wrong-password error", async () => {
  const { send } = await logIn();
  pds.revoke("access");
  const takedown = { error: "AccountTakedown", message: "Account has been taken down" };
  pds.respondNext(renewal, { status: 400, json: takedown });
  const wrongPassword = {
    error: "AuthenticationRequired",
    message: "Invalid identifier or password",
  };
  pds.respondNext(login, { status: 401, json: wrongPassword });
  await expect(send()).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining("AccountTakedown: Account has been taken down"),
  });
});

test("the credential is refused when a fresh token is rejected, and the token is redacted", async () => {
  const { credential, send } = await logIn();
  const refusal = {
    status: 401,
    json: { error: "Bad", message: `no ${credential.secrets().accessToken}` },
  };
  pds.respondNext("app.bsky.feed.getTimeline", refusal);
  pds.respondNext("app.bsky.feed.getTimeline", refusal);
  const thrown = await send().catch((error: Error) => error);
  expect(thrown).toMatchObject({ code: "credential_refused" });
  expect(String(thrown)).not.toContain(String(credential.secrets().accessToken));
  expect(pds.count(login)).toBe(1);
});

test("the response to a request without permission is returned without another login", async () => {
  const { send } = await logIn();
  const json = { error: "InvalidToken", message: "Bad token scope" };
  pds.respondNext("app.bsky.feed.getTimeline", { status: 400, json });
  expect((await send()).status).toBe(400);
  expect([pds.count(login), pds.count(renewal)]).toEqual([1, 0]);
});

test("a login is not repeated before the host's login limit resets", async () => {
  const { tools, send } = await logIn();
  pds.revoke("all");
  const resetSeconds = tools.time.ms / 1_000 + 60;
  const headers = { "ratelimit-remaining": "0", "ratelimit-reset": String(resetSeconds) };
  pds.respondNext(login, { status: 429, json: { error: "RateLimitExceeded" }, headers });
  for (let time = 0; time < 3; time += 1) {
    await expect(send()).rejects.toMatchObject({
      code: "upstream_limited",
      retryAtMs: resetSeconds * 1_000,
    });
  }
  expect(pds.count(login)).toBe(2);
  tools.time.ms += 61_000;
  expect((await send()).status).toBe(200);
  expect(pds.count(login)).toBe(3);
});

test("a failing host causes a retryable error, after which the app password still works", async () => {
  const { send } = await logIn();
  pds.revoke("all");
  pds.respondNext(renewal, { status: 502 });
  await expect(send()).rejects.toMatchObject({ code: "upstream_failed", retryable: true });
  pds.respondNext(renewal, { status: 200, json: { did } });
  await expect(send()).rejects.toMatchObject({ code: "upstream_failed" });
  expect((await send()).status).toBe(200);
});

test("a request to a server other than the account's is rejected", async () => {
  const { kind, tools, credential } = await logIn();
  const url = new URL("https://elsewhere.example/xrpc/app.bsky.feed.getTimeline");
  const request = { url, headers: {}, signal: AbortSignal.timeout(5_000) };
  await expect(kind.send(request, credential, tools)).rejects.toMatchObject({
    code: "credential_refused",
  });
});

test("testing an app password reports the account and its server", async () => {
  const { kind, tools, credential } = await logIn();
  expect(await kind.test(credential, tools)).toBe(
    `logged in at ${new URL(pds.url).host} as ann.example (${did})`,
  );
});
