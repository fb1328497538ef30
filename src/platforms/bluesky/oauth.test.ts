import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type OAuthEmulator,
  startOAuthEmulator,
} from "../../../testkit/emulators/bluesky/authorization-server.ts";
import { asStored, testTools } from "../../../testkit/upstreams/bluesky-credential.ts";
import { oauthKind } from "./oauth.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const timeline = "/xrpc/app.bsky.feed.getTimeline";
const tokenPath = "/oauth/token";

let host: OAuthEmulator;
beforeEach(async () => {
  host = await startOAuthEmulator(did, "ann.example");
});
afterEach(async () => {
  await host.close();
});

const kind = () =>
  oauthKind({ plcUrl: host.url, appviewUrl: host.url, resolveTxt: async () => [] });

async function authorize(paste: (address: string) => string, tools = testTools()) {
  const { authorization } = kind();
  if (authorization === undefined) throw new Error("no browser authorization");
  let address = "";
  return await authorization.run({ identifier: "ann.example" }, tools, {
    show: (text) => {
      address = /^http\S+$/m.exec(text)?.[0] ?? "";
    },
    prompt: async () => paste(address),
  });
}

const consent = (address: string) => host.consent(address, "yes");

async function authorizedCredential() {
  const tools = testTools();
  const credential = asStored(await authorize(consent, tools));
  const oauth = kind();
  const send = async () =>
    await oauth.send(
      { url: new URL(timeline, host.url), headers: {}, signal: AbortSignal.timeout(5_000) },
      credential,
      tools,
    );
  return { oauth, tools, credential, send };
}

test("an authorization in the browser creates a credential for the requested account", async () => {
  const newCredential = await authorize(consent);
  expect(newCredential).toMatchObject({
    host: host.url,
    subject: did,
    subjectName: "ann.example",
    hint: "ref",
  });
  expect(newCredential.secrets).toMatchObject({
    issuer: host.url,
    tokenEndpoint: `${host.url}/oauth/token`,
  });
  expect(JSON.parse(newCredential.secrets.key ?? "")).toMatchObject({ kty: "EC", crv: "P-256" });
});

test.each([
  ["the user declines", (address: string) => host.consent(address, "no"), /refused: access_denied/],
  ["something else is pasted", () => "hello", /not a valid URL/],
  [
    "another address is pasted",
    () => "http://127.0.0.1/?code=a",
    /does not belong to this authorization/,
  ],
  [
    "the redirect URL of another authorization is pasted",
    (address: string) => consent(address).replace(/state=[^&]+/, "state=other"),
    /does not belong to this authorization/,
  ],
  [
    "the code is wrong",
    (address: string) => `${consent(address).replace(/code=[^&]+/, "code=x")}`,
    /invalid_grant/,
  ],
])("an OAuth authorization creates no credential if %s", async (_what, paste, message) => {
  await expect(authorize(paste)).rejects.toMatchObject({
    code: "credential_invalid",
    message: expect.stringMatching(message),
  });
});

test("an OAuth authorization for another account is rejected", async () => {
  host.options.subject = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb";
  await expect(authorize(consent)).rejects.toMatchObject({ code: "credential_invalid" });
});

test("an OAuth token that is not bound to a key is rejected", async () => {
  host.options.tokenType = "Bearer";
  await expect(authorize(consent)).rejects.toMatchObject({ code: "answer_unreadable" });
});

test("OAuth requests carry the token and a DPoP proof, and a changed nonce costs one extra request", async () => {
  const { send } = await authorizedCredential();
  expect((await send()).json()).toMatchObject({ method: "app.bsky.feed.getTimeline" });
  const previousCount = host.count(timeline);
  host.changeNonce();
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(200);
  expect(host.count(timeline)).toBe(previousCount + 3);
});

test("fifty callers share one renewal of an expired or revoked OAuth token", async () => {
  const { tools, credential, send } = await authorizedCredential();
  const previousCount = host.count(tokenPath);
  const sendAll = async () => await Promise.all(Array.from({ length: 50 }, () => send()));
  for (const response of await sendAll()) expect(response.status).toBe(200);
  expect(host.count(tokenPath)).toBe(previousCount);
  tools.time.ms += 3_600_000;
  for (const response of await sendAll()) expect(response.status).toBe(200);
  expect([host.count(tokenPath), credential.renewals()]).toEqual([previousCount + 1, 1]);
  host.revoke("access");
  for (const response of await sendAll()) expect(response.status).toBe(200);
  expect([host.count(tokenPath), credential.renewals()]).toEqual([previousCount + 2, 2]);
});

test("an OAuth credential whose renewal is rejected is reported with instructions to fix it", async () => {
  const { send } = await authorizedCredential();
  host.revoke("all");
  await expect(send()).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining("invalid_grant"),
    hint: expect.stringContaining("earshot credentials add bluesky oauth"),
  });
});

test("a failing server causes a temporary error, after which the OAuth credential still works", async () => {
  const { send } = await authorizedCredential();
  host.revoke("access");
  host.options.failWith = 503;
  await expect(send()).rejects.toMatchObject({ code: "upstream_failed", retryable: true });
  host.options.failWith = 429;
  await expect(send()).rejects.toMatchObject({ code: "upstream_limited" });
  host.options.failWith = null;
  expect((await send()).status).toBe(200);
});

test("testing an OAuth credential reports the account and its server", async () => {
  const { oauth, tools, credential } = await authorizedCredential();
  expect(await oauth.test(credential, tools)).toBe(
    `authorized at ${new URL(host.url).host} by ann.example (${did})`,
  );
});

test("no OAuth credential is made without a browser", async () => {
  await expect(kind().make({}, testTools())).rejects.toMatchObject({ code: "credential_invalid" });
});
