import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  allow,
  connect,
  decide,
  form,
  newVerifier,
  openRequest,
  type Parameters,
  ping,
  requestParameters,
  tokenRequest,
} from "../../testkit/mcp/authorize.ts";
import {
  type ClientMetadataHost,
  clientDocument,
  startClientMetadataHost,
} from "../../testkit/mcp/oauth-app.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let app: ClientMetadataHost;
let service: ServiceUnderTest;
let session: TestSession;
let verifier: string;
let base: Parameters;

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
  verifier = newVerifier();
  base = requestParameters(app.clientId, verifier);
});

const requestAuthorization = async (parameters: Parameters, more = "") =>
  (await openRequest(service, session, form({ ...base, ...parameters }) + more)).json();
const fetchCode = async (more: Parameters = {}) =>
  (await allow(service, session, form({ ...base, ...more }))).searchParams.get("code");
const exchange = async (parameters: Parameters) =>
  await tokenRequest(service, {
    grant_type: "authorization_code",
    client_id: app.clientId,
    code_verifier: verifier,
    ...parameters,
  });

describe("a redirect URI", () => {
  test.each([
    "https://evil.example/callback",
    "https://app.example/callback/../evil",
    "https://app.example/callback?more=1",
    "https://app.example.evil.example/callback",
    "https://app.example:8443/callback",
    "http://app.example/callback",
    "http://127.0.0.1/other",
    "http://127.0.0.1.evil.example/callback",
    "http://localhost:9/callback",
    "https://app.example/callback#fragment",
    "https://user@app.example/callback",
    "https://app.example\\@evil.example/callback",
    "javascript:alert(1)",
    "myapp://callback",
    "",
  ])(
    "a redirect URI %s that the client does not list is rejected without a redirect",
    async (redirectUri) => {
      const answer = await requestAuthorization({ redirect_uri: redirectUri });
      expect(answer).toMatchObject({ code: "invalid_authorization_request" });
      expect(JSON.stringify(answer)).not.toContain("location");
    },
  );

  test("a redirect URI of a local program may have any port", async () => {
    const answer = await requestAuthorization({ redirect_uri: "http://127.0.0.1:50123/callback" });
    expect(answer).toMatchObject({ kind: "consent", is_loopback: true });
  });
});

describe("an authorization request", () => {
  test.each([
    ["without PKCE", { code_challenge: null }, "invalid_request"],
    ["with PKCE of another method", { code_challenge_method: "plain" }, "invalid_request"],
    [
      "without a PKCE method, which means plain",
      { code_challenge_method: null },
      "invalid_request",
    ],
    ["with a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ["for a token", { response_type: "token" }, "unsupported_response_type"],
    ["for a code and a token", { response_type: "code token" }, "unsupported_response_type"],
    ["for a fragment", { response_mode: "fragment" }, "invalid_request"],
    ["by reference", { request_uri: "https://evil.example/r" }, "request_not_supported"],
    ["for another server", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["for another path", { resource: "http://earshot.test/v1" }, "invalid_target"],
    ["with only unknown scopes", { scope: "admin" }, "invalid_scope"],
  ] as const)(
    "an authorization request %s is rejected with issuer and state",
    async (_, parameters, error) => {
      const answer = await requestAuthorization(parameters);
      expect(answer.kind).toBe("refused");
      const returned = new URL(answer.location).searchParams;
      expect(returned.get("error")).toBe(error);
      expect(returned.get("iss")).toBe("http://earshot.test");
      expect(returned.get("state")).toBe("abc");
      expect(returned.has("code")).toBe(false);
    },
  );

  test("an authorization request that names a parameter twice is rejected", async () => {
    const answer = await requestAuthorization(
      {},
      "&redirect_uri=https%3A%2F%2Fevil.example%2Fcallback",
    );
    expect(answer).toMatchObject({ code: "invalid_authorization_request" });
  });

  test("an authorization request may write scheme and host of the resource in capitals", async () => {
    expect(await requestAuthorization({ resource: "HTTP://EARSHOT.test/mcp" })).toMatchObject({
      kind: "consent",
    });
  });
});

describe("a client_id", () => {
  test.each([
    "reader",
    "http://app.example/client.json",
    "https://app.example",
    "https://app.example/",
    "https://app.example/client.json?x=1",
    "https://app.example/client.json#x",
    "https://user:password@app.example/client.json",
    "https://app.example/a/../client.json",
    "https://APP.example/client.json",
    "file:///etc/passwd",
    `https://app.example/${"x".repeat(600)}`,
  ])("the client_id %s is rejected as malformed", async (clientId) => {
    const answer = await requestAuthorization({ client_id: clientId });
    expect(answer).toMatchObject({ code: "client_not_accepted" });
    expect(answer.detail).toContain("client_id must be the HTTPS URL");
  });

  test.each([
    "https://127.0.0.1/client.json",
    "https://[::1]/client.json",
    "https://10.0.0.1/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/client.json",
  ])("fetching the client_id %s cannot reach a private address", async (clientId) => {
    const answer = await requestAuthorization({ client_id: clientId });
    expect(answer).toMatchObject({ status: 422, code: "client_not_accepted" });
    expect(answer.detail).toMatch(/not a public address|does not resolve to a public address/);
  });

  const documents: [string, (id: string) => unknown, number?][] = [
    ["another client_id", () => clientDocument("https://app.example/other.json")],
    ["no redirect URIs", (id) => ({ ...clientDocument(id), redirect_uris: [] })],
    [
      "a script as redirect URI",
      (id) => ({ ...clientDocument(id), redirect_uris: ["javascript:x"] }),
    ],
    ["no name", (id) => ({ ...clientDocument(id), client_name: " " })],
    [
      "a name that changes the text direction",
      (id) => ({ ...clientDocument(id), client_name: "a\u202eb" }),
    ],
    ["a name in two lines", (id) => ({ ...clientDocument(id), client_name: "Claude\nTrusted" })],
    [
      "client authentication by key",
      (id) => ({ ...clientDocument(id), token_endpoint_auth_method: "private_key_jwt" }),
    ],
    ["a JSON list", () => []],
    ["HTML instead of JSON", () => "<html>"],
    ["too many bytes", (id) => ({ ...clientDocument(id), padding: "x".repeat(40_000) })],
    ["status 404", (id) => clientDocument(id), 404],
    ["a redirect", () => app.clientId, 302],
  ];
  test.each(documents)(
    "a client_id whose document has %s is not accepted",
    async (what, documentOf, status) => {
      const path = `/${what.replaceAll(" ", "-")}.json`;
      const clientId = app.publish(path, documentOf(`${app.origin}${path}`), status);
      const before = app.requestedPaths.length;
      expect(await requestAuthorization({ client_id: clientId })).toMatchObject({
        code: "client_not_accepted",
      });
      expect(app.requestedPaths.slice(before)).toEqual([path]);
    },
  );

  test("a client_id whose document also allows public clients is accepted", async () => {
    const clientId = `${app.origin}/both.json`;
    app.publish("/both.json", {
      ...clientDocument(clientId),
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    });
    expect(await requestAuthorization({ client_id: clientId })).toMatchObject({ kind: "consent" });
  });

  test("a client_id is fetched only for a signed-in user, and not too often", async () => {
    const before = app.requestedPaths.length;
    const url = "/dashboard/api/authorizations";
    const payload = { query: form(base) };
    expect((await service.call(null, { method: "POST", url, payload })).statusCode).toBe(401);
    expect(app.requestedPaths.length).toBe(before);
    const slow = await startServiceUnderTest({
      EARSHOT_APP_PRIVATE_HOSTS: app.origin,
      EARSHOT_SIGN_INS_PER_MINUTE: "1",
    });
    const user = await slow.signIn();
    expect((await openRequest(slow, user, form(base))).statusCode).toBe(200);
    expect((await openRequest(slow, user, form(base))).json().code).toBe("too_many_sign_ins");
    await slow.remove();
  });
});

describe("a decision", () => {
  test("a consent decision of another site's page is rejected", async () => {
    const { ticket, methods } = await requestAuthorization({});
    const url = "/dashboard/api/authorizations/decision";
    const send = (headers: Readonly<Record<string, string>>) =>
      service.callAs(session, { method: "POST", url, headers, payload: { ticket, methods } });
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "x-earshot-csrf": "wrong" },
    ]) {
      expect((await send(headers)).json().code).toBe("forbidden_origin");
    }
  });

  test("a consent decision is bound to the session to which the request was shown", async () => {
    const { ticket, methods } = await requestAuthorization({});
    const other = await service.signIn();
    const again = await service.signIn({ accountId: session.accountId });
    for (const user of [other, again]) {
      const decided = await decide(service, user, ticket, methods);
      expect(decided.json().code).toBe("invalid_authorization_request");
    }
  });

  test("a consent decision must arrive within ten minutes, and cannot be forged", async () => {
    const { ticket, methods } = await requestAuthorization({});
    const forged = `${ticket.slice(0, -2)}${ticket.endsWith("AA") ? "BB" : "AA"}`;
    expect((await decide(service, session, forged, methods)).statusCode).toBe(400);
    service.clock.move(600_001);
    expect((await decide(service, session, ticket, methods)).statusCode).toBe(400);
  });

  test("a consent decision grants no method that was not requested", async () => {
    const { ticket } = await requestAuthorization({ scope: "gettrends" });
    const decided = await decide(service, session, ticket, ["searchbyquery", "gethometweets"]);
    expect(new URL(decided.json().location).searchParams.get("error")).toBe("access_denied");
  });

  test("the answer to an authorization request names the issuer, so that the client notices a mix-up of servers", async () => {
    const { ticket, methods } = await requestAuthorization({});
    for (const chosen of [methods, []]) {
      const { location } = (await decide(service, session, ticket, chosen)).json();
      expect(new URL(location).searchParams.get("iss")).toBe("http://earshot.test");
    }
  });
});

describe("a code", () => {
  test("using an authorization code again ends the tokens that were issued for it", async () => {
    const code = await fetchCode();
    const first = (await exchange({ code })).json();
    expect((await ping(service, first.access_token)).statusCode).toBe(200);
    const second = await exchange({ code });
    expect(second.statusCode).toBe(400);
    expect(second.json()).toMatchObject({ error: "invalid_grant" });
    expect(second.json().error_description).toContain("used before");
    expect((await ping(service, first.access_token)).statusCode).toBe(401);
    const metrics = await service.context.http.metrics.text();
    expect(metrics).toMatch(/earshot_oauth_token_requests_total\{outcome="reused"\} [1-9]/);
  });

  test("an authorization code is exchanged by only one of two concurrent requests", async () => {
    const code = await fetchCode();
    const responses = await Promise.all([exchange({ code }), exchange({ code })]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
  });

  test("an authorization code expires after a minute", async () => {
    const code = await fetchCode();
    service.clock.move(60_001);
    expect((await exchange({ code })).json().error_description).toContain("expired");
  });

  test.each([
    ["another verifier", { code_verifier: newVerifier() }, "invalid_grant"],
    ["the challenge as verifier", { code_verifier: "challenge" }, "invalid_grant"],
    ["no verifier", { code_verifier: null }, "invalid_request"],
    ["another client", { client_id: "https://evil.example/client.json" }, "invalid_grant"],
    ["no client", { client_id: null }, "invalid_request"],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:1/callback" }, "invalid_grant"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
    ["no code", { code: null }, "invalid_grant"],
  ] as const)("an authorization code with %s gets no tokens", async (what, parameters, error) => {
    const code = await fetchCode();
    const challenge = what === "the challenge as verifier" && {
      code_verifier: base.code_challenge,
    };
    const response = await exchange({ code, ...parameters, ...challenge });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error, error_description: expect.any(String) });
  });

  test("an authorization code is neither an access token nor a key", async () => {
    expect((await ping(service, String(await fetchCode()))).statusCode).toBe(401);
  });
});

describe("a refresh token", () => {
  const refresh = (token: string, more: Parameters = {}) =>
    tokenRequest(service, {
      grant_type: "refresh_token",
      client_id: app.clientId,
      refresh_token: token,
      ...more,
    });

  test("a refresh token that was replaced two refreshes ago ends the connection when it is used again", async () => {
    const stolen = await connect(service, session, app.clientId);
    const second = (await refresh(stolen.refresh_token)).json();
    const third = (await refresh(second.refresh_token)).json();
    const reused = await refresh(stolen.refresh_token);
    expect(reused.json().error_description).toContain("used before");
    expect((await ping(service, third.access_token)).statusCode).toBe(401);
    expect((await refresh(third.refresh_token)).statusCode).toBe(400);
    const audit = await service.callAs(session, {
      method: "GET",
      url: "/dashboard/api/account/audit",
    });
    expect(audit.json().entries[0]).toMatchObject({
      action: "app_disconnected",
      actor: "the server",
      detail: { reason: "token_reused" },
    });
  });

  test("a refresh token of another client or resource is rejected without ending the connection", async () => {
    const tokens = await connect(service, session, app.clientId);
    const other = { client_id: "https://evil.example/client.json" };
    expect((await refresh(tokens.refresh_token, other)).json().error).toBe("invalid_grant");
    const otherResource = { resource: "https://other.example" };
    expect((await refresh(tokens.refresh_token, otherResource)).json().error).toBe(
      "invalid_target",
    );
    expect((await ping(service, tokens.access_token)).statusCode).toBe(200);
  });

  test("a refresh token is not an access token", async () => {
    const { refresh_token: token } = await connect(service, session, app.clientId);
    expect((await ping(service, token)).statusCode).toBe(401);
  });
});

describe("an access token", () => {
  test("an access token is only for /mcp", async () => {
    const { access_token: token } = await connect(service, session, app.clientId);
    for (const url of ["/v1/search/live/social/jobs", "/v1/webhooks", "/dashboard/api/keys"]) {
      const response = await service.call(token, {
        method: "GET",
        url,
        headers: { host: "earshot.test" },
      });
      expect(response.statusCode).toBe(401);
    }
    const response = await service.call(token, {
      method: "GET",
      url: "/v1/search/live/social/jobs",
    });
    expect(response.json().hint).toContain("access tokens are for /mcp only");
  });

  test("an access token is valid only for the address under which it was issued", async () => {
    const { access_token: token } = await connect(service, session, app.clientId);
    const response = await service.call(token, {
      method: "POST",
      url: "/mcp",
      headers: { host: "other.test", accept: "application/json, text/event-stream" },
      payload: { jsonrpc: "2.0", id: 1, method: "ping" },
    });
    expect(response.statusCode).toBe(401);
  });

  test("an access token in the address is ignored", async () => {
    const { access_token: token } = await connect(service, session, app.clientId);
    const url = `/mcp?access_token=${token}`;
    const response = await service.call(null, { method: "POST", url, payload: {} });
    expect(response.statusCode).toBe(401);
  });
});

test("an app of another account is neither listed nor disconnected", async () => {
  await connect(service, session, app.clientId);
  const list = { method: "GET", url: "/dashboard/api/apps" } as const;
  const [{ id }] = (await service.callAs(session, list)).json().apps;
  const other = await service.signIn();
  expect((await service.callAs(other, list)).json().apps).toEqual([]);
  const url = `/dashboard/api/apps/${id}`;
  expect((await service.callAs(other, { method: "DELETE", url })).statusCode).toBe(404);
  const usage = { method: "GET", url: `/dashboard/api/usage?key=${id}` } as const;
  expect((await service.callAs(other, usage)).statusCode).toBe(404);
  expect((await service.callAs(session, list)).json().apps).toHaveLength(1);
});

test("token requests that are not forms, or that repeat a name, are rejected", async () => {
  const send = (payload: string, type: string, url = "/oauth/token") =>
    service.call(null, { method: "POST", url, headers: { "content-type": type }, payload });
  expect((await send("{}", "application/json")).json().error).toBe("invalid_request");
  expect((await send("a=1&a=2", "application/x-www-form-urlencoded")).json().error).toBe(
    "invalid_request",
  );
  expect((await send("x".repeat(20_000), "application/x-www-form-urlencoded")).statusCode).toBe(
    413,
  );
  expect((await send("<a/>", "text/xml")).statusCode).toBe(415);
});

test("the exported rows of a connection contain no secret", async () => {
  const tokens = await connect(service, session, app.clientId);
  const { text } = await service.context.store.read("exportAccount", {
    accountId: session.accountId,
    kind: "app",
    after: null,
  });
  for (const secret of [tokens.code, tokens.access_token, tokens.refresh_token]) {
    expect(text).not.toContain(secret.slice(-38, -6));
  }
});
