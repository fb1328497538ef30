import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditResponse } from "../../src/http/dashboard/contract/audit.ts";
import type {
  AuthorizationStep,
  CredentialListing,
  CredentialsResponse,
} from "../../src/http/dashboard/contract/credentials.ts";
import { lowestId } from "../../src/posts/ids.ts";
import { createLog } from "../../src/server/log.ts";
import {
  type OAuthEmulator,
  startOAuthEmulator,
} from "../../testkit/emulators/bluesky/authorization-server.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../testkit/emulators/mastodon/server.ts";
import { startXEmulator, type XEmulator } from "../../testkit/emulators/x/server.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

const path = "/dashboard/api/credentials";
const appToken = "app-token-canary-4f8e1b2c9d7a6053";
const client = {
  id: "client-of-tests",
  secret: "client-secret-canary-77aa",
  redirectUri: "http://127.0.0.1/back",
};
const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";

const logged: string[] = [];
/** The text of all responses to all callers. */
let responses = "";
let x: XEmulator;
let mastodon: MastodonEmulator;
let bluesky: OAuthEmulator;
let service: ServiceUnderTest;
let ann: TestSession;
let ben: TestSession;

beforeAll(async () => {
  const nowMs = Date.now();
  [x, mastodon, bluesky] = await Promise.all([
    startXEmulator({
      appTokens: [appToken],
      clients: [client],
      world: {
        users: [{ id: "1", username: "ann", name: "Ann" }],
        posts: [
          {
            id: `${lowestId(nowMs - 60_000)}`,
            authorId: "1",
            text: "a river",
            lang: "en",
            createdMs: nowMs - 60_000,
          },
        ],
      },
      faults: { isUnpaced: true },
    }),
    startMastodonEmulator(),
    startOAuthEmulator(did, "ann.example"),
  ]);
  service = await startServiceUnderTest(
    {
      EARSHOT_X_API_URL: x.url,
      EARSHOT_UPSTREAM_PRIVATE_HOSTS: mastodon.url,
      EARSHOT_PLC_URL: bluesky.url,
      EARSHOT_BLUESKY_APPVIEW_URL: bluesky.url,
      EARSHOT_MAX_CREDENTIALS: "2",
      EARSHOT_CREDENTIAL_CHECKS_PER_MINUTE: "40",
      EARSHOT_MAX_ATTEMPTS: "1",
      EARSHOT_DASHBOARD_REQUESTS_PER_SECOND: "10000",
    },
    { log: createLog("trace", { write: (line) => logged.push(line) }) },
  );
  [ann, ben] = await Promise.all([service.signIn(), service.signIn()]);
});
afterAll(async () => {
  await service.remove();
  await Promise.all([x.close(), mastodon.close(), bluesky.close()]);
});

type Method = "GET" | "POST" | "DELETE";

async function call(session: TestSession, method: Method, url: string, payload?: object) {
  const response = await service.callAs(session, {
    method,
    url,
    ...(payload === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, payload: JSON.stringify(payload) }),
  });
  responses += JSON.stringify(response.headers) + response.body;
  return response;
}

const add = (session: TestSession, platform: string, kind: string, fields: object) =>
  call(session, "POST", path, { platform, kind, fields });

async function addCredential(...requested: Parameters<typeof add>): Promise<CredentialListing> {
  const response = await add(...requested);
  expect(response.statusCode, response.body).toBe(201);
  return response.json().credential;
}

async function list(session: TestSession): Promise<CredentialsResponse> {
  return (await call(session, "GET", path)).json();
}

async function begin(session: TestSession, platform: string, kind: string, fields: object) {
  const response = await call(session, "POST", `${path}/authorizations`, {
    platform,
    kind,
    fields,
  });
  const step: AuthorizationStep = response.json();
  if (step.state !== "question") throw new Error(`no question: ${response.body}`);
  const address = /^http\S+$/m.exec(step.texts.join("\n"))?.[0] ?? "";
  return { ...step, address };
}

const reply = (session: TestSession, id: string, answer: string) =>
  call(session, "POST", `${path}/authorizations/${id}`, { answer });

/** Audit entries, newest first, except sign-ins. */
async function credentialActions(session: TestSession): Promise<string[]> {
  const response = await call(session, "GET", "/dashboard/api/account/audit");
  const { entries }: AuditResponse = response.json();
  return entries.map(({ action }) => action).filter((action) => action.startsWith("credential"));
}

const xFields = {
  client_id: client.id,
  client_secret: client.secret,
  redirect_uri: client.redirectUri,
};

describe("the credentials that can be connected", () => {
  test("the credentials that can be connected are described in sentences, with the fields of each kind", async () => {
    const { credentials, kinds } = await list(ann);
    expect(credentials).toEqual([]);
    expect(kinds.map(({ platform, kind }) => `${platform} ${kind}`)).toEqual([
      "bluesky app-password",
      "bluesky oauth",
      "mastodon user-token",
      "mastodon app-token",
      "x app-token",
      "x user-token",
    ]);
    for (const { title, purpose, fields, authorization } of kinds) {
      expect(title.length).toBeGreaterThan(5);
      expect(purpose).toMatch(/^[A-Z].*\.$/);
      const all = [...fields, ...(authorization?.fields ?? [])];
      for (const { label, hint } of all) {
        expect(label).toMatch(/^[A-Z]/);
        expect(hint ?? "Nothing.").toMatch(/^[A-Z].*\.$/);
      }
    }
  });

  test("connecting credentials requires a session: keys and unauthenticated callers are rejected", async () => {
    const key = await service.makeKey();
    for (const session of [key, null]) {
      const refused = await service.call(session, { method: "GET", url: path });
      expect(refused.statusCode).toBe(401);
      expect(refused.json()).toMatchObject({ code: "session_needed" });
    }
  });
});

describe("a credential added by its fields", () => {
  let credential: CredentialListing;

  test("a credential is stored once its platform accepts it", async () => {
    credential = await addCredential(ann, "x", "app-token", { token: ` ${appToken}\n` });
    expect(credential).toMatchObject({
      platform: "x",
      kind: "app-token",
      host: x.url,
      subject: null,
      hint: "app-",
      used_at: null,
      state: "ready",
      reason: null,
      until: null,
    });
    expect((await list(ann)).credentials).toEqual([credential]);
    expect((await list(ben)).credentials).toEqual([]);
  });

  test("a credential is used by the next search of its account, and of no other", async () => {
    const body = { type: "social", arguments: { type: "searchbyquery", query: "river" } };
    const requested = async (session: TestSession) =>
      await call(session, "POST", "/v1/search/live/x", body).then((response) => response.json());
    const { uuid, error } = await requested(ann);
    expect(error).toBe("");
    const result = await call(ann, "GET", `/v1/search/live/x/result/${uuid}?wait=20`);
    expect(result.json()).toMatchObject([{ Content: "a river", Metadata: { username: "ann" } }]);
    expect((await list(ann)).credentials[0]?.used_at).not.toBeNull();
    const other = await requested(ben);
    const none = await call(ben, "GET", `/v1/search/live/x/result/${other.uuid}?wait=20`);
    expect(none.body).not.toContain("a river");
  });

  test("a credential replaces the one with the same secret", async () => {
    const again = await addCredential(ann, "x", "app-token", { token: appToken });
    expect(again.id).toBe(credential.id);
    expect((await list(ann)).credentials).toHaveLength(1);
  });

  test("testing a credential reports whether it works, and its state shows the result", async () => {
    const test = async () => (await call(ann, "POST", `${path}/${credential.id}/test`)).json();
    expect(await test()).toMatchObject({
      works: true,
      message: expect.stringContaining("posts read this month"),
      credential: { id: credential.id, state: "ready" },
    });
    x.faults.status503Every = 1;
    expect(await test()).toMatchObject({ works: false, credential: { state: "ready" } });
    delete x.faults.status503Every;
    const { token } = mastodon.addToken({
      accountId: mastodon.network.addAccount({ username: "lost" }).id,
    });
    const fields = { host: mastodon.url, token };
    const { id } = await addCredential(ann, "mastodon", "user-token", fields);
    mastodon.revoke(token);
    const tested = await call(ann, "POST", `${path}/${id}/test`);
    expect(tested.json()).toMatchObject({
      works: false,
      message: expect.stringMatching(/no longer accepts the token/),
      credential: {
        id,
        state: "quarantined",
        reason: expect.stringMatching(/no longer accepts the token/),
        until: null,
      },
    });
    await call(ann, "DELETE", `${path}/${id}`);
  });

  test("a credential is shown as cooling while its limit is used up", async () => {
    const { store, clock } = service.context;
    const nowMs = clock.now();
    const until = nowMs + 60_000;
    const reason = "the platform's rate limit";
    for (const [bucket, untilMs] of [
      ["search", until],
      ["users", until - 1_000],
    ] as const) {
      await store.write("startCredentialCooldown", {
        id: credential.id,
        bucket,
        untilMs,
        reason,
        nowMs,
      });
    }
    const [listed] = (await list(ann)).credentials;
    expect(listed).toMatchObject({
      state: "cooling",
      reason,
      until: new Date(until).toISOString(),
    });
  });

  test("a credential does not exist for another account, and the deployment's credentials exist for none", async () => {
    await service.context.store.write("putCredential", {
      id: "ofTheDeployment",
      accountId: null,
      platform: "mastodon",
      kind: "app-token",
      host: mastodon.url,
      subject: null,
      subjectName: null,
      hint: "cli",
      encryptedSecret: new Uint8Array(),
      maxOfOwner: 100,
      nowMs: service.clock.now(),
    });
    for (const id of [credential.id, "ofTheDeployment", "none", "%00"]) {
      const url = `${path}/${id}`;
      for (const response of [
        await call(ben, "DELETE", url),
        await call(ben, "POST", `${url}/test`),
      ]) {
        expect(response.statusCode).toBe(404);
        expect(response.json()).toMatchObject({ code: "credential_not_found" });
      }
    }
    expect((await list(ann)).credentials).toHaveLength(1);
  });

  test("a disconnected credential no longer exists", async () => {
    expect((await call(ann, "DELETE", `${path}/${credential.id}`)).statusCode).toBe(204);
    expect((await list(ann)).credentials).toEqual([]);
    expect((await call(ann, "DELETE", `${path}/${credential.id}`)).statusCode).toBe(404);
    expect(await credentialActions(ann)).toEqual([
      "credential_removed",
      "credential_removed",
      "credential_added",
      "credential_added",
      "credential_added",
    ]);
  });
});

describe("a credential that is rejected", () => {
  const refusals: [string, () => [string, string, object], string][] = [
    [
      "a field is missing",
      () => ["mastodon", "user-token", { host: "a.example" }],
      "/fields/token",
    ],
    ["a field is empty", () => ["x", "app-token", { token: "  " }], "/fields/token"],
    [
      "a field is unknown",
      () => ["x", "app-token", { token: appToken, tokne: "a" }],
      "/fields/tokne",
    ],
    [
      "the platform rejects it",
      () => ["x", "app-token", { token: `${appToken}x` }],
      "/fields/token",
    ],
    [
      "the host is malformed",
      () => ["mastodon", "user-token", { host: "no host", token: "user-token-canary-1" }],
      "/fields/host",
    ],
    [
      "the server rejects it",
      () => ["mastodon", "user-token", { host: mastodon.url, token: "user-token-canary-1" }],
      "/fields/token",
    ],
    [
      "the account does not exist",
      () => [
        "bluesky",
        "app-password",
        { identifier: "not a handle", password: "canary-password" },
      ],
      "/fields/identifier",
    ],
  ];
  test.each(refusals)(
    "a credential is rejected with an error that points at its field: %s",
    async (_, requested, pointer) => {
      const response = await add(ben, ...requested());
      expect(response.statusCode, response.body).toBe(422);
      expect(response.json()).toMatchObject({ code: "credential_invalid", errors: [{ pointer }] });
      expect(response.body).not.toMatch(/earshot |canary/);
      expect((await list(ben)).credentials).toEqual([]);
    },
  );

  test.each([
    ["no fields", { platform: "x", kind: "app-token" }, "/fields"],
    [
      "a field that is not a string",
      { platform: "x", kind: "app-token", fields: { token: 1 } },
      "/fields/token",
    ],
    ["another platform", { platform: "y", kind: "app-token", fields: {} }, "/platform"],
    ["an additional member", { platform: "x", kind: "app-token", fields: {}, host: "a" }, "/host"],
  ])("a body for a credential with %s is an invalid request", async (_, body, pointer) => {
    const response = await call(ben, "POST", path, body);
    expect(response.json()).toMatchObject({ code: "invalid_request", errors: [{ pointer }] });
  });

  test("an unknown kind of credential, or one that is not added by fields, is rejected", async () => {
    const responses = [
      await add(ben, "x", "oauth", {}),
      await add(ben, "bluesky", "oauth", {}),
      await call(ben, "POST", `${path}/authorizations`, {
        platform: "x",
        kind: "app-token",
        fields: {},
      }),
    ];
    for (const response of responses)
      expect(response.json()).toMatchObject({ code: "credential_invalid" });
  });

  test("a host on the internal network is not called to test a credential", async () => {
    const inside = { host: "http://127.0.0.1:9", token: "user-token-canary-1" };
    const response = await add(ben, "mastodon", "user-token", inside);
    expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400);
    expect(response.json()).toMatchObject({
      detail: expect.stringContaining("not a public address"),
    });
  });

  test("credentials above the limit are rejected until one is disconnected", async () => {
    const text = mastodon.network.addAccount({ username: "one" }).id;
    const tokens = [text, text, text].map((_, index) =>
      mastodon.addToken({
        accountId: index === 0 ? text : mastodon.network.addAccount({ username: `u${index}` }).id,
      }),
    );
    const makeFields = (index: number) => ({
      host: mastodon.url,
      token: tokens[index]?.token ?? "",
    });
    const first = await addCredential(ben, "mastodon", "user-token", makeFields(0));
    expect(first).toMatchObject({ subject: expect.stringMatching(/^@one@/), host: mastodon.url });
    await addCredential(ben, "mastodon", "user-token", makeFields(1));
    const refused = await add(ben, "mastodon", "user-token", makeFields(2));
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({
      code: "too_many_credentials",
      hint: "disconnect one first",
    });
    await call(ben, "DELETE", `${path}/${first.id}`);
    await addCredential(ben, "mastodon", "user-token", makeFields(2));
  });
});

describe("a credential that is authorized in a browser", () => {
  test("an authorization on Bluesky shows an address, and is completed by pasting the resulting URL", async () => {
    const requested = await begin(ann, "bluesky", "oauth", { identifier: "ann.example" });
    expect(requested).toMatchObject({ question: "The URL" });
    expect((await list(ann)).credentials).toEqual([]);
    const done = await reply(ann, requested.id, ` ${bluesky.consent(requested.address, "yes")} `);
    expect(done.json()).toMatchObject({
      state: "done",
      credential: { platform: "bluesky", kind: "oauth", subject: "ann.example", state: "ready" },
    });
    const { credential } = done.json();
    const tested = await call(ann, "POST", `${path}/${credential.id}/test`);
    expect(tested.json()).toMatchObject({ works: true });
    expect((await reply(ann, requested.id, "again")).statusCode).toBe(404);
  });

  test("an authorization on X is completed by pasting the resulting URL", async () => {
    const requested = await begin(ann, "x", "user-token", xFields);
    const sent = await fetch(requested.address, { redirect: "manual" });
    const done = await reply(ann, requested.id, sent.headers.get("location") ?? "");
    expect(done.json()).toMatchObject({
      state: "done",
      credential: { platform: "x", kind: "user-token", subject: "ann" },
    });
  });

  test("an authorization does not exist for another account, which cannot answer it", async () => {
    const requested = await begin(ann, "x", "user-token", xFields);
    const refused = await reply(ben, requested.id, "http://127.0.0.1/back?code=canarycode");
    expect(refused.statusCode).toBe(404);
    expect(refused.json()).toMatchObject({
      code: "authorization_not_found",
      hint: expect.stringMatching(/^start again/),
    });
    const sent = await fetch(requested.address, { redirect: "manual" });
    const done = await reply(ann, requested.id, sent.headers.get("location") ?? "");
    expect(done.json()).toMatchObject({ state: "done" });
  });

  test.each([
    ["the user declines", (address: string) => bluesky.consent(address, "no"), null],
    ["something else is pasted", () => "canary of something else", "/answer"],
    [
      "the address of another attempt is pasted",
      () => "http://127.0.0.1/?code=canarycode4f8e1b2c&state=canarystate4f8e1b2c&iss=a",
      "/answer",
    ],
  ])("an authorization attempt fails with an error if %s", async (_, paste, pointer) => {
    const requested = await begin(ben, "bluesky", "oauth", { identifier: "ann.example" });
    const refused = await reply(ben, requested.id, paste(requested.address));
    expect(refused.statusCode, refused.body).toBe(422);
    expect(refused.json()).toMatchObject({
      code: "credential_invalid",
      ...(pointer === null ? {} : { errors: [{ pointer }] }),
    });
    expect(refused.body).not.toContain("canary");
    expect((await reply(ben, requested.id, "more")).json()).toMatchObject({
      code: "authorization_not_found",
    });
  });

  test("the error for a missing field of an authorization points at the field", async () => {
    const requested = { platform: "x", kind: "user-token", fields: { client_id: client.id } };
    const refused = await call(ben, "POST", `${path}/authorizations`, requested);
    expect(refused.json()).toMatchObject({
      code: "credential_invalid",
      errors: [{ pointer: "/fields/redirect_uri" }],
    });
  });
});

test("an account's attempts to add credentials are limited per minute", async () => {
  const eve = await service.signIn();
  const responses = await Promise.all(
    Array.from({ length: 41 }, () => add(eve, "x", "app-token", {})),
  );
  const refused = responses.filter(({ statusCode }) => statusCode === 429);
  expect(refused).toHaveLength(1);
  expect(refused[0]?.json()).toMatchObject({ code: "too_many_attempts", retryable: true });
  expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(50);
});

test("no secret appears in a response, in the log or in clear text on disk", () => {
  const secrets = [
    appToken,
    client.secret,
    "canary-password",
    "user-token-canary-1",
    "canarycode4f8e1b2c",
    ...x.requests.flatMap(({ authorization }) => authorization?.split(" ")[1] ?? []),
    ...mastodon.requests.flatMap(({ authorization }) => authorization?.split(" ")[1] ?? []),
  ];
  expect(new Set(secrets).size).toBeGreaterThan(8);
  const files = readdirSync(service.dataDir).filter((name) => name.startsWith("control.db"));
  const onDisk = files.map((name) => readFileSync(join(service.dataDir, name), "latin1")).join("");
  const everything = responses + logged.join("") + onDisk;
  for (const secret of secrets) expect(everything.includes(secret), secret).toBe(false);
});
