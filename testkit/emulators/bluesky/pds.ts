/** An emulator based on the lexicons com.atproto.server.createSession, refreshSession and getSession; also a DID directory. */
import type { IncomingMessage } from "node:http";
import { type EmulatedResponse, makeDidDocument, startHost } from "./host.ts";

export type PdsEmulator = {
  url: string;
  requests: { method: string; path: string; authorization: string | null }[];
  count(method: string): number;
  /** `access` keeps refresh tokens valid. */
  revoke(kind: "access" | "all"): void;
  respondNext(method: string, response: EmulatedResponse): void;
  close(): Promise<void>;
};

export type PdsOptions = {
  did: string;
  handle: string;
  password: string;
  lifetimeSeconds?: number;
};

export async function startPdsEmulator(options: PdsOptions): Promise<PdsEmulator> {
  const { did, handle, password, lifetimeSeconds = 7_200 } = options;
  const requests: PdsEmulator["requests"] = [];
  const scriptedResponses = new Map<string, EmulatedResponse[]>();
  const accessTokens = new Set<string>();
  const refreshTokens = new Set<string>();
  let issuedCount = 0;

  const { url, close } = await startHost(respond);

  function respond(request: IncomingMessage, body: string): EmulatedResponse {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const authorization = request.headers.authorization ?? null;
    requests.push({ method: request.method ?? "", path: pathname, authorization });
    const method = pathname.replace("/xrpc/", "");
    const scripted = scriptedResponses.get(method)?.shift();
    if (scripted !== undefined) return scripted;
    if (pathname === `/${did}`) return { status: 200, json: makeDidDocument(did, handle, url) };
    const token = authorization?.replace(/^Bearer /, "") ?? "";
    switch (method) {
      case "com.atproto.identity.resolveHandle":
        return { status: 200, json: { did } };
      case "com.atproto.server.createSession": {
        const credentials: { identifier?: string; password?: string } = JSON.parse(body);
        const isValid =
          [did, handle].includes(credentials.identifier ?? "") && credentials.password === password;
        return isValid
          ? createSession()
          : refusal(401, "AuthenticationRequired", "Invalid identifier or password");
      }
      case "com.atproto.server.refreshSession":
        if (!refreshTokens.delete(token))
          return refusal(400, "ExpiredToken", "Token has been revoked");
        return createSession();
      default:
        if (token === "") return refusal(401, "AuthMissing", "Authentication Required");
        if (!accessTokens.has(token)) return refusal(400, "ExpiredToken", "Token has expired");
        return { status: 200, json: { did, handle, method } };
    }
  }

  function createSession(): EmulatedResponse {
    issuedCount += 1;
    const accessJwt = makeToken("access", lifetimeSeconds);
    const refreshJwt = makeToken("refresh", 90 * 86_400);
    accessTokens.add(accessJwt);
    refreshTokens.add(refreshJwt);
    return { status: 200, json: { did, handle, accessJwt, refreshJwt, active: true } };
  }

  function makeToken(scope: string, lifetime: number): string {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { scope, sub: did, iat: 1_000, exp: 1_000 + lifetime, jti: issuedCount };
    return `${encode({ typ: "at+jwt", alg: "HS256" })}.${encode(claims)}.c2lnbmF0dXJl`;
  }

  return {
    url,
    requests,
    count: (method) => requests.filter(({ path }) => path === `/xrpc/${method}`).length,
    revoke: (kind) => {
      accessTokens.clear();
      if (kind === "all") refreshTokens.clear();
    },
    respondNext: (method, scripted) => {
      scriptedResponses.set(method, [...(scriptedResponses.get(method) ?? []), scripted]);
    },
    close,
  };
}

const refusal = (status: number, error: string, message: string): EmulatedResponse => ({
  status,
  json: { error, message },
});
