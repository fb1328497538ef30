import { createHash, randomBytes } from "node:crypto";
import type { LightMyRequestResponse } from "fastify";
import type { ServiceUnderTest, TestSession } from "../service/service-under-test.ts";
import { loopbackCallback } from "./oauth-app.ts";

export type Parameters = Readonly<Record<string, string | null>>;

export const newVerifier = (): string => randomBytes(32).toString("base64url");
const makeChallenge = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** Omits parameters that are null. */
export const form = (parameters: Parameters): string =>
  new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null),
  ).toString();

export function openRequest(
  service: ServiceUnderTest,
  session: TestSession,
  query: string,
): Promise<LightMyRequestResponse> {
  return service.callAs(session, {
    method: "POST",
    url: "/dashboard/api/authorizations",
    payload: { query },
  });
}

export function decide(
  service: ServiceUnderTest,
  session: TestSession,
  ticket: string,
  methods: readonly string[],
): Promise<LightMyRequestResponse> {
  return service.callAs(session, {
    method: "POST",
    url: "/dashboard/api/authorizations/decision",
    payload: { ticket, methods },
  });
}

export async function allow(
  service: ServiceUnderTest,
  session: TestSession,
  query: string,
): Promise<URL> {
  const page = (await openRequest(service, session, query)).json();
  if (page.kind !== "consent") throw new Error(JSON.stringify(page));
  const decision = await decide(service, session, page.ticket, page.methods);
  return new URL(decision.json().location);
}

export const requestParameters = (clientId: string, verifier: string): Parameters => ({
  response_type: "code",
  client_id: clientId,
  redirect_uri: loopbackCallback,
  code_challenge: makeChallenge(verifier),
  code_challenge_method: "S256",
  state: "abc",
});

export function tokenRequest(
  service: ServiceUnderTest,
  parameters: Parameters,
  url = "/oauth/token",
): Promise<LightMyRequestResponse> {
  return service.call(null, {
    method: "POST",
    url,
    headers: { host: "earshot.test", "content-type": "application/x-www-form-urlencoded" },
    payload: form(parameters),
  });
}

export type Tokens = { access_token: string; refresh_token: string; scope: string };

export async function connect(
  service: ServiceUnderTest,
  session: TestSession,
  clientId: string,
  extraParameters: Parameters = {},
): Promise<Tokens & { code: string; verifier: string }> {
  const verifier = newVerifier();
  const query = form({ ...requestParameters(clientId, verifier), ...extraParameters });
  const code = (await allow(service, session, query)).searchParams.get("code") ?? "";
  const response = await tokenRequest(service, {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: verifier,
  });
  if (response.statusCode !== 200) throw new Error(response.body);
  return { ...response.json(), code, verifier };
}

export function ping(service: ServiceUnderTest, token: string): Promise<LightMyRequestResponse> {
  return service.call(token, {
    method: "POST",
    url: "/mcp",
    headers: { host: "earshot.test", accept: "application/json, text/event-stream" },
    payload: { jsonrpc: "2.0", id: 1, method: "ping" },
  });
}
