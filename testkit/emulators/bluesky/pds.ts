/** An emulator based on the lexicons com.atproto.server.createSession, refreshSession and getSession; also a DID directory. */
import type { IncomingMessage } from "node:http";
import { type EmulatedResponse, makeDidDocument, startHost } from "./host.ts";

export type PdsEmulator = {
  url: string;
  requests: { method: string; path: string; authorization: string | null }[];
  count(method: string): number;
  /** `access` keeps refresh tokens valid. */
  revoke(which: "access" | "all"): void;
  respondNext(method: string, response: EmulatedResponse): void;
  close(): Promise<void>;
};

export type PdsOptions = { did: string; handle: string; password: string; lifeSeconds?: number };

export async function startPdsEmulator(options: PdsOptions): Promise<PdsEmulator> {
  const { did, handle, password, lifeSeconds = 7_200 } = options;
  const requests: PdsEmulator["requests"] = [];
  const next = new Map<string, EmulatedResponse[]>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let issued = 0;

  const { url, close } = await startHost(respond);

  function respond(request: IncomingMessage, body: string): EmulatedResponse {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const authorization = request.headers.authorization ?? null;
    requests.push({ method: request.method ?? "", path: pathname, authorization });
    const method = pathname.replace("/xrpc/", "");
    const scripted = next.get(method)?.shift();
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
          ? session()
          : refusal(401, "AuthenticationRequired", "Invalid identifier or password");
      }
      case "com.atproto.server.refreshSession":
        if (!refresh.delete(token)) return refusal(400, "ExpiredToken", "Token has been revoked");
        return session();
      default:
        if (token === "") return refusal(401, "AuthMissing", "Authentication Required");
        if (!access.has(token)) return refusal(400, "ExpiredToken", "Token has expired");
        return { status: 200, json: { did, handle, method } };
    }
  }

  function session(): EmulatedResponse {
    issued += 1;
    const accessJwt = makeToken("access", lifeSeconds);
    const refreshJwt = makeToken("refresh", 90 * 86_400);
    access.add(accessJwt);
    refresh.add(refreshJwt);
    return { status: 200, json: { did, handle, accessJwt, refreshJwt, active: true } };
  }

  function makeToken(scope: string, life: number): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { scope, sub: did, iat: 1_000, exp: 1_000 + life, jti: issued };
    return `${part({ typ: "at+jwt", alg: "HS256" })}.${part(claims)}.c2lnbmF0dXJl`;
  }

  return {
    url,
    requests,
    count: (method) => requests.filter(({ path }) => path === `/xrpc/${method}`).length,
    revoke: (which) => {
      access.clear();
      if (which === "all") refresh.clear();
    },
    respondNext: (method, scripted) => {
      next.set(method, [...(next.get(method) ?? []), scripted]);
    },
    close,
  };
}

const refusal = (status: number, error: string, message: string): EmulatedResponse => ({
  status,
  json: { error, message },
});
