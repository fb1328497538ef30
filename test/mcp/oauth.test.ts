import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { grantableMethods } from "../../src/accounts/grants/scopes.ts";
import {
  allow,
  connect,
  decide,
  form,
  newVerifier,
  openRequest,
  ping,
  requestParameters,
  tokenRequest,
} from "../../testkit/mcp/authorize.ts";
import { type ClientMetadataHost, startClientMetadataHost } from "../../testkit/mcp/oauth-app.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let app: ClientMetadataHost;
let service: ServiceUnderTest;
let session: TestSession;

const origin = "http://earshot.test";
const hourMs = 3_600_000;

beforeAll(async () => {
  app = await startClientMetadataHost();
  service = await startServiceUnderTest({
    EARSHOT_APP_PRIVATE_HOSTS: app.origin,
    EARSHOT_SIGN_INS_PER_MINUTE: "1000",
  });
});
afterAll(async () => {
  await service.remove();
  await app.stop();
});
beforeEach(async () => {
  session = await service.signIn();
});

const get = (url: string) =>
  service.call(null, { method: "GET", url, headers: { host: "earshot.test" } });
const asOwner = (method: "GET" | "POST" | "DELETE", url: string, payload?: object) =>
  service.callAs(session, { method, url, ...(payload === undefined ? {} : { payload }) });
const getApps = async () => (await asOwner("GET", "/dashboard/api/apps")).json().apps;
const refresh = (token: string, clientId = app.clientId) =>
  tokenRequest(service, { grant_type: "refresh_token", client_id: clientId, refresh_token: token });

describe("discovery", () => {
  test("an MCP request without a valid token is answered with the address of the metadata", async () => {
    const response = await ping(service, "x");
    expect(response.statusCode).toBe(401);
    const header = String(response.headers["www-authenticate"]);
    expect(header).toMatch(/^Bearer /);
    expect(header).toContain(
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(header).toContain(`scope="${grantableMethods.join(" ")}"`);
    expect(header).toContain('error="invalid_token"');
    const without = await service.call(null, { method: "POST", url: "/mcp", payload: {} });
    expect(without.headers["www-authenticate"]).not.toContain("error=");
  });

  test.each(["", "/mcp"])(
    "the protected resource is described at the well-known path%s",
    async (suffix) => {
      expect((await get(`/.well-known/oauth-protected-resource${suffix}`)).json()).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
        scopes_supported: grantableMethods,
      });
    },
  );

  test("the authorization server is described under its issuer", async () => {
    expect((await get("/.well-known/oauth-authorization-server")).json()).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/dashboard/connect`,
      token_endpoint: `${origin}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  test("the public address is the issuer, regardless of the host of a request", async () => {
    const url = "https://search.example";
    const named = await startServiceUnderTest({ EARSHOT_PUBLIC_URL: url });
    const response = await named.call(null, {
      method: "GET",
      url: "/.well-known/oauth-authorization-server",
      headers: { host: "evil.example" },
    });
    expect(response.json().issuer).toBe(url);
    await named.remove();
  });
});

describe("a connected app", () => {
  test("a connected app is listed with its name, host and last use", async () => {
    const { access_token: token, scope } = await connect(service, session, app.clientId);
    expect(scope).toBe(grantableMethods.join(" "));
    expect((await ping(service, token)).statusCode).toBe(200);
    await service.context.http.usage.flush();
    expect(await getApps()).toEqual([
      {
        id: expect.stringMatching(/^\w{8}$/),
        name: "Reader",
        host: new URL(app.origin).host,
        methods: grantableMethods,
        created_at: expect.any(String),
        used_at: expect.any(String),
        used_from: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
  });

  test("a connected app gets only the methods that it requested and the user allowed", async () => {
    const verifier = newVerifier();
    const query = form({
      ...requestParameters(app.clientId, verifier),
      scope: "searchbyquery gettrends offline_access",
    });
    const { ticket, methods } = (await openRequest(service, session, query)).json();
    expect(methods).toEqual(["searchbyquery", "gettrends"]);
    const decided = await decide(service, session, ticket, ["gettrends", "getbyid"]);
    const code = new URL(decided.json().location).searchParams.get("code");
    const response = await tokenRequest(service, {
      grant_type: "authorization_code",
      client_id: app.clientId,
      code,
      code_verifier: verifier,
    });
    expect(response.json().scope).toBe("gettrends");
    const params = { name: "search_posts", arguments: { query: "comet" } };
    const called = await service.call(response.json().access_token, {
      method: "POST",
      url: "/mcp",
      headers: { host: "earshot.test", accept: "application/json, text/event-stream" },
      payload: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    });
    expect(called.body).toContain("method_forbidden");
  });

  test("a connected app refreshes its tokens, which ends the former access token", async () => {
    const first = await connect(service, session, app.clientId);
    const response = await refresh(first.refresh_token);
    expect(response.headers["cache-control"]).toContain("no-store");
    const second = response.json();
    expect(second).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
    expect((await ping(service, second.access_token)).statusCode).toBe(200);
    expect((await ping(service, first.access_token)).statusCode).toBe(401);
  });

  test("a connected app needs a refresh after an hour and a new sign-in after 60 days without one", async () => {
    const { access_token: token, refresh_token: refreshToken } = await connect(
      service,
      session,
      app.clientId,
    );
    service.clock.move(hourMs);
    const expired = await ping(service, token);
    expect(expired.statusCode).toBe(401);
    expect(expired.json().hint).toContain("refresh");
    const second = (await refresh(refreshToken)).json();
    expect((await ping(service, second.access_token)).statusCode).toBe(200);
    service.clock.move(60 * 24 * hourMs);
    expect((await refresh(second.refresh_token)).json()).toEqual({
      error: "invalid_grant",
      error_description: "the refresh token has expired",
    });
    session = await service.signIn({ accountId: session.accountId });
    expect(await getApps()).toEqual([]);
  });

  test.each(["access_token", "refresh_token"] as const)(
    "a connected app can end its connection by its %s",
    async (name) => {
      const tokens = await connect(service, session, app.clientId);
      const revoke = (token: string, clientId = app.clientId) =>
        tokenRequest(service, { token, client_id: clientId }, "/oauth/revoke");
      expect((await revoke(tokens[name], `${app.origin}/other.json`)).statusCode).toBe(200);
      expect((await ping(service, tokens.access_token)).statusCode).toBe(200);
      expect((await revoke(tokens[name])).statusCode).toBe(200);
      expect((await ping(service, tokens.access_token)).statusCode).toBe(401);
      expect((await refresh(tokens.refresh_token)).statusCode).toBe(400);
      expect((await revoke("unknown")).statusCode).toBe(200);
      expect((await tokenRequest(service, { token: "x" }, "/oauth/revoke")).statusCode).toBe(400);
    },
  );

  test("a connected app has the rate limits of a key, and excess requests get 429", async () => {
    const { access_token: token } = await connect(service, session, app.clientId);
    const responses = await Promise.all(Array.from({ length: 12 }, () => ping(service, token)));
    const codes = responses.map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === 200).length).toBeGreaterThanOrEqual(8);
    expect(codes).toContain(429);
  });

  test("a connected app appears in audit log, usage and export, and is deleted with the account", async () => {
    const { access_token: token } = await connect(service, session, app.clientId);
    await ping(service, token);
    await service.context.http.usage.flush();
    const [{ id }] = await getApps();
    const usage = (await asOwner("GET", `/dashboard/api/usage?key=${id}`)).json();
    expect(usage.keys).toContainEqual({ id, name: "Reader", ended: false });
    expect(usage.totals.requests).toBe(1);
    await asOwner("DELETE", `/dashboard/api/apps/${id}`);
    const { entries } = (await asOwner("GET", "/dashboard/api/account/audit")).json();
    expect(entries.slice(0, 2)).toMatchObject([
      { action: "app_disconnected", key: "Reader" },
      { action: "app_connected", key: "Reader" },
    ]);
    const { body } = await asOwner("GET", "/dashboard/api/account/export");
    const lines = body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ kind }) => kind === "app")).toMatchObject([
      { id, client_id: app.clientId, client_name: "Reader", methods: grantableMethods },
    ]);
    for (const secret of ["hash", "challenge", token]) expect(body).not.toContain(secret);
    const { accountId } = session;
    const nowMs = service.clock.now();
    await service.context.store.write("closeAccount", { accountId, actor: "command_line", nowMs });
    expect((await ping(service, token)).statusCode).toBe(401);
  });

  test("a connected app is rejected while its account is suspended", async () => {
    const tokens = await connect(service, session, app.clientId);
    const change = (suspension: { reason: string } | null) =>
      service.context.store.write("changeAccount", {
        accountId: session.accountId,
        actor: "command_line",
        nowMs: service.clock.now(),
        suspension,
      });
    await change({ reason: "test" });
    const response = await ping(service, tokens.access_token);
    expect([response.statusCode, response.json().code]).toEqual([403, "account_suspended"]);
    const refused = await refresh(tokens.refresh_token);
    expect(refused.json().error_description).toBe("the account is suspended");
    await change(null);
    expect((await ping(service, tokens.access_token)).statusCode).toBe(200);
  });

  test("a connected app stays connected when its account has a hundred unused codes", async () => {
    const first = await connect(service, session, app.clientId);
    const grant = {
      ...{ accountId: session.accountId, clientId: app.clientId, clientName: "Reader" },
      ...{ redirectUri: `${app.origin}/callback`, resource: `${origin}/mcp` },
      ...{ methods: grantableMethods, codeChallenge: "x", codeMs: 60_000 },
    };
    for (let count = 0; count < 100; count += 1) {
      await service.context.store.write("createGrant", { ...grant, nowMs: service.clock.now() });
    }
    // Unused codes are deleted before a connected app is.
    expect((await ping(service, first.access_token)).statusCode).toBe(200);
  });
});

test("unused codes and connections that ended long ago are deleted", async () => {
  const tokens = await connect(service, session, app.clientId);
  await allow(service, session, form(requestParameters(app.clientId, newVerifier())));
  const rows = () =>
    service.context.store.read("exportAccount", {
      accountId: session.accountId,
      kind: "app",
      after: null,
    });
  expect((await rows()).lines).toBe(2);
  const sweep = () =>
    service.context.store.write("sweepSessions", { idleMs: hourMs, nowMs: service.clock.now() });
  service.clock.move(61_000);
  await sweep();
  expect((await rows()).lines).toBe(1);
  await tokenRequest(
    service,
    { token: tokens.refresh_token, client_id: app.clientId },
    "/oauth/revoke",
  );
  service.clock.move(31 * 24 * hourMs);
  await sweep();
  expect((await rows()).lines).toBe(0);
});
