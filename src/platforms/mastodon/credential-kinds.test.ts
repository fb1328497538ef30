import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type {
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  NewCredential,
  Secrets,
} from "../credential.ts";
import { mastodonCredentialKinds } from "./credential-kinds.ts";

let server: MastodonEmulator;
let annId: string;
let tools: CredentialTools;

beforeAll(async () => {
  server = await startMastodonEmulator();
  annId = server.network.addAccount({ username: "ann" }).id;
  const fetch = createGuardedFetch({
    guard: createGuard([server.url]),
    userAgent: "earshot-test",
    timeoutMs: 5_000,
    maxBytes: 100_000,
    maxRedirects: 0,
  });
  tools = { fetch, now: Date.now, randomBytes: (length) => new Uint8Array(length) };
});
afterAll(async () => await server.close());
beforeEach(() => {
  server.requests.length = 0;
});

function kindNamed(name: string): CredentialKind {
  const kind = mastodonCredentialKinds().find((other) => other.name === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}
const userToken = kindNamed("user-token");
const appToken = kindNamed("app-token");

function inUse(
  { host, subject, subjectName, hint, secrets: first }: NewCredential,
  kind: CredentialKind,
) {
  let secrets: Secrets = first;
  let renewals = 0;
  const credential: CredentialInUse = {
    credential: {
      id: "c1",
      accountId: null,
      platform: "mastodon",
      kind: kind.name,
      host,
      subject,
      subjectName,
      hint,
      createdMs: 0,
      usedMs: null,
      quarantine: null,
      coolings: [],
    },
    secrets: () => secrets,
    renew: async (_seen, make) => {
      renewals += 1;
      secrets = await make(secrets);
      return secrets;
    },
  };
  return { credential, renewals: () => renewals };
}

const request = (path: string, origin = server.url) => ({
  url: new URL(path, origin),
  headers: {},
  signal: AbortSignal.timeout(5_000),
});

describe("a user's token", () => {
  it("a user's token on Mastodon is stored with the user that it acts for", async () => {
    const { token } = server.addToken({ accountId: annId });
    for (const host of [server.url, `${server.url}/@ann`]) {
      expect(await userToken.make({ host, token: ` ${token}\n` }, tools)).toEqual({
        host: server.url,
        subject: annId,
        subjectName: `@ann@${server.host}`,
        hint: "use",
        secrets: { token },
      });
    }
  });

  it("a user's token on Mastodon that does not work is rejected with the name of the invalid field", async () => {
    const narrow = server.addToken({ accountId: annId, scopes: ["write"] }).token;
    const app = server.addToken({}).token;
    for (const [values, message] of [
      [{ host: server.url, token: "wrong" }, "token: "],
      [{ host: server.url, token: "" }, "token: a value is required"],
      [{ host: server.url, token: "a b" }, "token: invalid characters"],
      [{ host: server.url, token: narrow }, "token: it lacks the scope read:accounts"],
      [{ host: server.url, token: app }, "token: it does not belong to an active user"],
      [{ host: "", token: "x" }, "host: the value is not a server"],
      [{ host: "not a host", token: "x" }, "host: "],
    ] as const) {
      const refused = await userToken.make(values, tools).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "credential_invalid",
        message: expect.stringContaining(message),
      });
      for (const secret of [narrow, app]) expect(String(refused)).not.toContain(secret);
    }
  });

  it("a user's token on Mastodon is sent only to its own server", async () => {
    const { token } = server.addToken({ accountId: annId });
    const { credential } = inUse(
      await userToken.make({ host: server.url, token }, tools),
      userToken,
    );
    const response = await userToken.send(request("/api/v1/timelines/home"), credential, tools);
    expect(response.status).toBe(200);
    expect(await userToken.test(credential, tools)).toBe(
      `signed in at ${server.host} as @ann@${server.host}`,
    );
    const remote = request("/api/v1/timelines/home", "http://127.0.0.1:1");
    await expect(userToken.send(remote, credential, tools)).rejects.toMatchObject({
      code: "credential_refused",
    });
    expect(server.requests.at(-1)?.authorization).toBe(`Bearer ${token}`);
  });

  it("a user's token on Mastodon is refused permanently once revoked", async () => {
    const { token } = server.addToken({ accountId: annId });
    const { credential } = inUse(
      await userToken.make({ host: server.url, token }, tools),
      userToken,
    );
    server.revoke(token);
    for (const use of [
      userToken.send(request("/api/v1/timelines/home"), credential, tools),
      userToken.test(credential, tools),
    ]) {
      await expect(use).rejects.toMatchObject({
        code: "credential_refused",
        message: expect.not.stringContaining(token),
      });
    }
  });
});

describe("the test of a credential", () => {
  it("testing a Mastodon credential does not refuse the token when the server is overloaded or failing", async () => {
    const { token } = server.addToken({ accountId: annId });
    const created = await userToken.make({ host: server.url, token }, tools);
    for (const status of [429, 500, 503]) {
      server.settings.faults.nextResponses = [{ status }];
      const tested = userToken.test(inUse(created, userToken).credential, tools);
      await expect(tested).rejects.toMatchObject({ code: "upstream_failed", retryable: true });
    }
  });
});

describe("an application", () => {
  const makeCredential = async (scopes = ["read"]) => {
    const { clientId, clientSecret } = server.addApp(scopes);
    return await appToken.make(
      { host: server.url, client_id: clientId, client_secret: clientSecret },
      tools,
    );
  };

  it("a Mastodon application gets a token for its key and secret, without a user", async () => {
    const { secrets, ...rest } = await makeCredential();
    expect(rest).toEqual({
      host: server.url,
      subject: null,
      subjectName: "An application",
      hint: "cli",
    });
    expect(secrets).toEqual({
      clientId: expect.any(String),
      clientSecret: expect.any(String),
      token: expect.stringMatching(/^app-token/),
    });
  });

  it("a Mastodon application that is unknown, or is not allowed to read, is rejected with the name of the invalid field", async () => {
    const { clientId, clientSecret } = server.addApp(["write"]);
    for (const [values, message] of [
      [{ client_id: "no", client_secret: "no" }, "client_secret: "],
      [{ client_id: clientId, client_secret: clientSecret }, "lacks the scope read"],
      [{ client_id: "", client_secret: "x" }, "client_id: a value is required"],
    ] as const) {
      await expect(appToken.make({ host: server.url, ...values }, tools)).rejects.toMatchObject({
        code: "credential_invalid",
        message: expect.stringContaining(message),
      });
    }
  });

  it("a Mastodon application sends its redirect URI, which some servers compare, and reports the reason for a refusal", async () => {
    server.settings.differences.needsRedirectUri = true;
    try {
      expect((await makeCredential()).secrets.token).toMatch(/^app-token/);
      const redirectUri = "http://127.0.0.1/callback";
      const { clientId, clientSecret } = server.addApp(["read"], redirectUri);
      const values = { host: server.url, client_id: clientId, client_secret: clientSecret };
      await expect(appToken.make(values, tools)).rejects.toMatchObject({
        code: "credential_invalid",
        message: expect.stringMatching(/^redirect_uri: .*does not match the application's/),
      });
      const created = await appToken.make({ ...values, redirect_uri: redirectUri }, tools);
      const { credential, renewals } = inUse(created, appToken);
      server.revoke(created.secrets.token ?? "");
      await appToken.test(credential, tools);
      expect(renewals()).toBe(1);
    } finally {
      server.settings.differences.needsRedirectUri = false;
    }
  });

  it("apparent tokens in the reason for a refusal are redacted", async () => {
    const body = JSON.stringify({
      error: "invalid_request",
      error_description: `the grant is switched off for ${"a1b2".repeat(12)}`,
    });
    server.settings.faults.nextResponses = [{ status: 400, body }];
    await expect(makeCredential()).rejects.toMatchObject({
      message: expect.stringMatching(/\(400\): the grant is switched off for …$/),
    });
  });

  it("a Mastodon application requests a new token once if the server rejects the old one", async () => {
    const first = await makeCredential();
    const { credential, renewals } = inUse(first, appToken);
    server.revoke(first.secrets.token ?? "");
    const response = await appToken.send(request("/api/v1/trends/tags"), credential, tools);
    expect([response.status, renewals()]).toEqual([200, 1]);
    expect(credential.secrets().token).not.toBe(first.secrets.token);
    expect(await appToken.test(credential, tools)).toBe(
      `${server.host} accepts the application's token`,
    );
    expect(renewals()).toBe(1);
  });

  it("a Mastodon application is refused permanently when the server no longer knows its key", async () => {
    const first = await makeCredential();
    const outdated = {
      ...first,
      secrets: { ...first.secrets, clientSecret: "changed", token: "gone" },
    };
    const { credential } = inUse(outdated, appToken);
    await expect(
      appToken.send(request("/api/v1/trends/tags"), credential, tools),
    ).rejects.toMatchObject({
      code: "credential_refused",
    });
  });

  it("a Mastodon application retains its token when a resource is for users only", async () => {
    const { credential, renewals } = inUse(await makeCredential(), appToken);
    server.settings.differences.readsNeedToken = true;
    const response = await appToken.send(request(`/api/v1/accounts/${annId}`), credential, tools);
    server.settings.differences.readsNeedToken = false;
    expect([response.status, renewals()]).toEqual([403, 0]);
  });
});
