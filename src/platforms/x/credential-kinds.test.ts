import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startXEmulator, type XEmulator } from "../../../testkit/emulators/x/server.ts";
import {
  allScopes,
  clientId,
  nowMs,
  storedXCredential,
  tools,
} from "../../../testkit/upstreams/x.ts";
import type { Dialogue } from "../credential.ts";
import { xCredentialKinds } from "./credential-kinds.ts";
import { xLimit } from "./upstream.ts";

const redirectUri = "http://127.0.0.1:7000/callback";
let x: XEmulator;
let now: number;

beforeEach(async () => {
  now = nowMs;
  x = await startXEmulator({
    now: () => now,
    clients: [
      { id: clientId, secret: null, redirectUri },
      { id: "confidential", secret: "a secret: it is", redirectUri },
    ],
    consentingUserId: "12",
    world: { users: [{ id: "12", username: "bob" }], posts: [] },
  });
});
afterEach(() => x.close());

const toolsNow = { ...tools, now: () => now };

test("adding a shared X credential warns that it shows only IDs, unless X has agreed to more", () => {
  const getSharing = (isRedistributionAgreed: boolean) =>
    xCredentialKinds({ apiUrl: "https://api.x.com", isRedistributionAgreed }).map(
      ({ sharing }) => sharing,
    );
  const note = expect.stringMatching(/IDs only.*--account/);
  expect(getSharing(false)).toEqual([note, note]);
  expect(getSharing(true)).toEqual([undefined, undefined]);
});

function findKind(name: string) {
  const kind = xCredentialKinds({ apiUrl: x.url }).find((other) => other.name === name);
  if (kind === undefined) throw new Error(`no ${name}`);
  return kind;
}

const me = (): { url: URL; headers: Record<string, string>; signal: AbortSignal } => ({
  url: new URL("/2/users/me", x.url),
  headers: {},
  signal: AbortSignal.timeout(10_000),
});

const renewals = (): number => x.requests.filter(({ path }) => path === "/2/oauth2/token").length;

describe("an application's token", () => {
  test("an X application's token is tested without a bill, and stored with its first characters as the hint", async () => {
    const newCredential = await findKind("app-token").make({ token: "app-token-0001" }, tools);
    expect(newCredential).toEqual({
      host: x.url,
      subject: null,
      subjectName: null,
      hint: "app",
      secrets: { token: "app-token-0001" },
    });
    expect(x.requests.map(({ path }) => path)).toEqual(["/2/usage/tweets"]);
    expect(x.billed).toEqual({ posts: 0, users: 0, requests: 0 });
  });

  test.each(["", "has space in it", "new\nline-of-a-token", "unknown-token"])(
    "%j is rejected as an X application's token",
    async (token) => {
      const creation = findKind("app-token").make({ token }, tools);
      await expect(creation).rejects.toMatchObject({ code: "credential_invalid" });
      await expect(creation).rejects.not.toThrow("unknown-token");
    },
  );

  test("testing an X application's token reports usage, or fails with credential_refused", async () => {
    const kind = findKind("app-token");
    const test = (token: string) => kind.test(storedXCredential({ token }), tools);
    expect(await test("app-token-0001")).toBe(
      "the token works: 0 of 3000000 posts read this month",
    );
    await expect(test("ended-long-ago")).rejects.toMatchObject({ code: "credential_refused" });
    const response = kind.send(me(), storedXCredential({ token: "ended-long-ago" }), tools);
    await expect(response).rejects.toMatchObject({ code: "credential_refused" });
  });

  test("an X application's token pauses for an hour when its monthly cap is used up, regardless of the headers", async () => {
    x.faults.isUsageCapped = true;
    const request = { ...me(), url: new URL("/2/tweets?ids=20", x.url) };
    const response = await findKind("app-token").send(
      request,
      storedXCredential({ token: "app-token-0001" }),
      tools,
    );
    expect(response.status).toBe(429);
    expect(xLimit(response.headers)).toEqual({
      remaining: 0,
      resetMs: nowMs + 3_600_000,
    });
  });
});

describe("a user's session", () => {
  const session = (scopes: readonly string[] = allScopes) => {
    const tokens = x.grant({ userId: "12", scopes, clientId });
    const expiresMs = String(now + 7_200_000);
    return storedXCredential({ clientId, clientSecret: "", expiresMs, ...tokens }, "12");
  };

  test("an X session is created from a refresh token, which is then replaced", async () => {
    const { refreshToken } = x.grant({ userId: "12", scopes: allScopes, clientId });
    const values = { client_id: clientId, refresh_token: refreshToken };
    const newCredential = await findKind("user-token").make(values, toolsNow);
    expect(newCredential).toMatchObject({ host: x.url, subject: "12", subjectName: "bob" });
    expect(newCredential.secrets).toMatchObject({ clientId, expiresMs: String(now + 7_200_000) });
    expect(newCredential.secrets.refreshToken).not.toBe(refreshToken);
    await expect(findKind("user-token").make(values, toolsNow)).rejects.toMatchObject({
      code: "credential_invalid",
      message: expect.stringContaining("refresh_token"),
    });
  });

  test("an X session created from only an access token expires with the token", async () => {
    const { accessToken } = x.grant({
      userId: "12",
      scopes: ["tweet.read", "users.read"],
      clientId,
    });
    const kind = findKind("user-token");
    const newCredential = await kind.make(
      { client_id: clientId, access_token: accessToken },
      toolsNow,
    );
    const credential = storedXCredential(newCredential.secrets, newCredential.subject);
    expect((await kind.send(me(), credential, toolsNow)).status).toBe(200);
    now += 7_200_001;
    await expect(kind.send(me(), credential, toolsNow)).rejects.toMatchObject({
      code: "credential_refused",
      hint: expect.stringContaining("offline.access"),
    });
  });

  test("a session on X is renewed before its access token expires", async () => {
    const credential = session();
    now += 7_200_000 - 30_000;
    const response = await findKind("user-token").send(me(), credential, toolsNow);
    expect(response.status).toBe(200);
    expect(renewals()).toBe(1);
    expect(credential.saved).toHaveLength(1);
    expect(x.requests.at(-1)?.authorization).toBe(`Bearer ${credential.secrets().accessToken}`);
  });

  test("a session on X is renewed once for all concurrent callers, and the new refresh token is stored", async () => {
    const credential = session();
    const [originalSecrets] = [credential.secrets()];
    // If the expiry is unknown, each request is first refused.
    const withoutExpiry = storedXCredential({ ...originalSecrets, expiresMs: "" }, "12");
    now += 7_200_001;
    let open = () => {};
    x.faults.tokenGate = new Promise((resolve) => {
      open = resolve;
    });
    const kind = findKind("user-token");
    x.faults.limit = 1_000;
    const pendingResponses = Array.from({ length: 50 }, () =>
      kind.send(me(), withoutExpiry, toolsNow),
    );
    open();
    const responses = await Promise.all(pendingResponses);
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(renewals()).toBe(1);
    expect(withoutExpiry.saved).toHaveLength(1);
    expect(withoutExpiry.secrets().refreshToken).not.toBe(originalSecrets?.refreshToken);
    expect((await kind.send(me(), withoutExpiry, toolsNow)).status).toBe(200);
    expect(renewals()).toBe(1);
  });

  test("the error for a session that X has ended explains how to fix it, without tokens", async () => {
    const credential = session();
    const secrets = credential.secrets();
    x.revoke("12");
    const response = findKind("user-token").send(me(), credential, toolsNow);
    await expect(response).rejects.toMatchObject({
      code: "credential_refused",
      hint: "authorize the application again: earshot credentials add x user-token",
    });
    const error = await response.catch((thrown: unknown) => thrown);
    const errorText = JSON.stringify(error) + String(error);
    for (const secret of Object.values(secrets)) {
      if (secret.startsWith("at-") || secret.startsWith("rt-"))
        expect(errorText).not.toContain(secret);
    }
    await expect(findKind("user-token").test(credential, toolsNow)).rejects.toMatchObject({
      code: "credential_refused",
    });
  });

  test("a session on X is tested by renewing it, which is not billed", async () => {
    const credential = session();
    expect(await findKind("user-token").test(credential, toolsNow)).toContain("was renewed");
    expect(x.billed.users).toBe(0);
    expect((await findKind("user-token").send(me(), credential, toolsNow)).status).toBe(200);
  });
});

describe("authorizing an application in a browser", () => {
  function person(paste: (location: string) => string = (location) => location): Dialogue {
    let output = "";
    return {
      show: (text) => {
        output += text;
      },
      prompt: async () => {
        const url = new URL(/https?:\S+/.exec(output)?.[0] ?? "");
        const response = await tools.fetch(url);
        return paste(response.headers.get("location") ?? "");
      },
    };
  }

  const authorize = (values: Record<string, string>, dialogue: Dialogue) => {
    const { authorization } = findKind("user-token");
    if (authorization === undefined) throw new Error("no browser authorization");
    return authorization.run(values, toolsNow, dialogue);
  };

  test.each([
    ["a public client", { client_id: clientId, redirect_uri: redirectUri }],
    [
      "a client with a secret",
      { client_id: "confidential", client_secret: "a secret: it is", redirect_uri: redirectUri },
    ],
  ])(
    "authorizing an X application in a browser yields a session of the user for %s",
    async (_what, values) => {
      const newCredential = await authorize(values, person());
      expect(newCredential).toMatchObject({ subject: "12", subjectName: "bob" });
      const credential = storedXCredential(newCredential.secrets, newCredential.subject);
      now += 7_200_001;
      expect((await findKind("user-token").send(me(), credential, toolsNow)).status).toBe(200);
      const authorizationRequest = x.requests.find(({ path }) => path === "/i/oauth2/authorize");
      expect(authorizationRequest?.query.scope).toBe(
        "tweet.read users.read follows.read space.read offline.access",
      );
    },
  );

  test.each([
    ["no URL", () => "code"],
    [
      "the URL of another authorization",
      (location: string) => location.replace(/state=[^&]*/, "state=other"),
    ],
    ["a URL without a code", (location: string) => location.replace(/code=[^&]*/, "")],
    ["a refusal", () => `${redirectUri}?error=access_denied`],
  ])("authorizing an X application in a browser is rejected with %s", async (_what, paste) => {
    const values = { client_id: clientId, redirect_uri: redirectUri };
    await expect(authorize(values, person(paste))).rejects.toMatchObject({
      code: "credential_invalid",
    });
    expect(renewals()).toBe(0);
  });

  test("authorizing an X application is rejected with a code that X did not issue", async () => {
    const values = { client_id: clientId, redirect_uri: redirectUri };
    const forged = person((location) => location.replace(/code=[^&]*/, "code=forged-code"));
    await expect(authorize(values, forged)).rejects.toMatchObject({ code: "credential_refused" });
  });
});
