import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  connect,
  decide,
  form,
  newVerifier,
  openRequest,
  ping,
  requestParameters,
  type Tokens,
  tokenRequest,
} from "../../testkit/mcp/authorize.ts";
import { type ClientMetadataHost, startClientMetadataHost } from "../../testkit/mcp/oauth-app.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

let app: ClientMetadataHost;
let first: ServiceUnderTest;
let second: ServiceUnderTest;
let session: TestSession;

beforeAll(async () => {
  app = await startClientMetadataHost();
  const settings = {
    ...(await databaseSettings()),
    EARSHOT_APP_PRIVATE_HOSTS: app.origin,
    EARSHOT_SIGN_INS_PER_MINUTE: "1000",
  };
  first = await startServiceUnderTest(settings);
  second = await startServiceUnderTest(settings);
});
afterAll(async () => {
  await second?.remove();
  await first?.remove();
  await app?.stop();
});
beforeEach(async () => {
  session = await first.signIn();
});

const gateways = () => [first, second];

/** Opens the consent at one gateway and gives it at the other. */
async function codeAcross(verifier: string): Promise<string> {
  const query = form(requestParameters(app.clientId, verifier));
  const { ticket, methods } = (await openRequest(first, session, query)).json();
  const decided = await decide(second, session, ticket, methods);
  return new URL(decided.json().location).searchParams.get("code") ?? "";
}

const exchange = (gateway: ServiceUnderTest, code: string, verifier: string) =>
  tokenRequest(gateway, {
    grant_type: "authorization_code",
    client_id: app.clientId,
    code,
    code_verifier: verifier,
  });

const refresh = (gateway: ServiceUnderTest, token: string) =>
  tokenRequest(gateway, {
    grant_type: "refresh_token",
    client_id: app.clientId,
    refresh_token: token,
  });

const pings = async (token: string) =>
  (await Promise.all(gateways().map((gateway) => ping(gateway, token)))).map(
    ({ statusCode }) => statusCode,
  );

/** Requires that exactly one answer has tokens, and returns them. */
function issuedOnce(answers: readonly Awaited<ReturnType<typeof refresh>>[]): Tokens {
  const issued = answers.filter(({ statusCode }) => statusCode === 200);
  const refused = answers.filter(({ statusCode }) => statusCode === 400);
  expect([issued.length, refused.length]).toEqual([1, answers.length - 1]);
  for (const response of refused) expect(response.json().error).toBe("invalid_grant");
  const [response] = issued;
  if (response === undefined) throw new Error("no tokens were issued");
  return response.json();
}

const atBothTwice = <Answer>(send: (gateway: ServiceUnderTest) => Promise<Answer>) =>
  Promise.all([first, second, first, second].map(send));

describe("an authorization code", () => {
  test("an authorization code can be exchanged at either gateway, even if the consent was opened and given at different ones", async () => {
    for (const gateway of gateways()) {
      const verifier = newVerifier();
      const response = await exchange(gateway, await codeAcross(verifier), verifier);
      expect(response.statusCode, response.body).toBe(200);
      expect(await pings(response.json().access_token)).toEqual([200, 200]);
    }
  });

  test("only one of several concurrent requests exchanges an authorization code, and its reuse revokes the tokens", async () => {
    for (let round = 0; round < 5; round += 1) {
      const verifier = newVerifier();
      const code = await codeAcross(verifier);
      const responses = await atBothTwice((gateway) => exchange(gateway, code, verifier));
      const tokens = issuedOnce(responses);
      expect(await pings(tokens.access_token)).toEqual([401, 401]);
      expect((await refresh(second, tokens.refresh_token)).statusCode).toBe(400);
    }
  });
});

describe("a refresh token", () => {
  test("a refresh token of one gateway can be used at the other, which ends the former access token", async () => {
    const before = await connect(first, session, app.clientId);
    const after = (await refresh(second, before.refresh_token)).json();
    expect(await pings(after.access_token)).toEqual([200, 200]);
    expect(await pings(before.access_token)).toEqual([401, 401]);
  });

  test("only one of several concurrent requests gets new tokens for a refresh token, and its reuse revokes the connection", async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await connect(first, session, app.clientId);
      const responses = await atBothTwice((gateway) => refresh(gateway, before.refresh_token));
      const after = issuedOnce(responses);
      for (const { access_token: token } of [before, after]) {
        expect(await pings(token)).toEqual([401, 401]);
      }
      expect((await refresh(first, after.refresh_token)).json().error).toBe("invalid_grant");
    }
  });
});

describe("a token used at both gateways", () => {
  test("a token used at both gateways is rejected at one as soon as the app revokes it at the other", async () => {
    for (const name of ["access_token", "refresh_token"] as const) {
      const tokens = await connect(second, session, app.clientId);
      expect(await pings(tokens.access_token)).toEqual([200, 200]);
      const revoked = { token: tokens[name], client_id: app.clientId };
      expect((await tokenRequest(first, revoked, "/oauth/revoke")).statusCode).toBe(200);
      expect(await pings(tokens.access_token)).toEqual([401, 401]);
      expect((await refresh(second, tokens.refresh_token)).statusCode).toBe(400);
    }
  });

  test("a token used at both gateways is rejected at one as soon as its owner disconnects the app at the other", async () => {
    const tokens = await connect(first, session, app.clientId);
    expect(await pings(tokens.access_token)).toEqual([200, 200]);
    const list = { method: "GET", url: "/dashboard/api/apps" } as const;
    const { apps } = (await second.callAs(session, list)).json();
    const url = `/dashboard/api/apps/${apps[0].id}`;
    expect((await second.callAs(session, { method: "DELETE", url })).statusCode).toBe(204);
    expect(await pings(tokens.access_token)).toEqual([401, 401]);
  });
});
