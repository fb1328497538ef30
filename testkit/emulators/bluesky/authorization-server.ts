/**
 * An emulator based on https://atproto.com/specs/oauth, RFC 9449 (DPoP), 9126 (PAR) and 7636
 * (PKCE). A refresh token can be used once.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type EmulatedResponse, makeDidDocument, startHost } from "./host.ts";

export type OAuthEmulator = {
  url: string;
  requests: { method: string; path: string }[];
  count(path: string): number;
  /** The redirect after the account owner accepts or denies. */
  consent(address: string, choice: "yes" | "no"): string;
  /** `access` keeps refresh tokens valid. */
  revoke(which: "access" | "all"): void;
  /** Requires a new DPoP nonce. */
  changeNonce(): void;
  options: { did: string; subject: string; tokenType: string; failWith: number | null };
  close(): Promise<void>;
};

type Pushed = { challenge: string; redirectUri: string; state: string; jkt: string };

export async function startOAuthEmulator(did: string, handle: string): Promise<OAuthEmulator> {
  const options: OAuthEmulator["options"] = {
    did,
    subject: did,
    tokenType: "DPoP",
    failWith: null,
  };
  const requests: OAuthEmulator["requests"] = [];
  const pushed = new Map<string, Pushed>();
  const codes = new Map<string, Pushed>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const usedProofs = new Set<string>();
  let nonce = 1;
  let issued = 0;

  const { url, close } = await startHost(respond);

  function respond(request: IncomingMessage, text: string): EmulatedResponse {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    requests.push({ method: request.method ?? "", path: pathname });
    const body = new URLSearchParams(text);
    switch (pathname) {
      case `/${did}`:
        return { status: 200, json: makeDidDocument(did, handle, url) };
      case "/xrpc/com.atproto.identity.resolveHandle":
        return { status: 200, json: { did } };
      case "/.well-known/oauth-protected-resource":
        return { status: 200, json: { resource: url, authorization_servers: [url] } };
      case "/.well-known/oauth-authorization-server":
        return { status: 200, json: metadata() };
      case "/oauth/par":
        return requireProof(request, (jkt) => push(body, jkt));
      case "/oauth/token":
        if (options.failWith !== null) return { status: options.failWith };
        return requireProof(request, (jkt) => grant(body, jkt));
      default:
        return resource(request, pathname.replace("/xrpc/", ""));
    }
  }

  const nonceHeader = () => ({ "dpop-nonce": `nonce-${nonce}` });

  /** The key's thumbprint, or the proof's error. */
  function checkProof(request: IncomingMessage, token: string | null): { jkt: string } | string {
    const proof = String(request.headers.dpop ?? "");
    const [head = "", claims = "", signature = ""] = proof.split(".");
    const { typ, alg, jwk } = JSON.parse(Buffer.from(head, "base64url").toString() || "{}");
    const payload = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}");
    if (typ !== "dpop+jwt" || alg !== "ES256" || jwk?.d !== undefined) return "invalid_dpop_proof";
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const isSigned = verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    const { pathname } = new URL(request.url ?? "/", url);
    if (!isSigned || payload.htm !== request.method || payload.htu !== `${url}${pathname}`)
      return "invalid_dpop_proof";
    if (payload.nonce !== `nonce-${nonce}`) return "use_dpop_nonce";
    if (usedProofs.has(payload.jti)) return "invalid_dpop_proof";
    usedProofs.add(payload.jti);
    if (token !== null && payload.ath !== computeHash(token)) return "invalid_dpop_proof";
    return { jkt: computeHash(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y })) };
  }

  function requireProof(
    request: IncomingMessage,
    next: (jkt: string) => EmulatedResponse,
  ): EmulatedResponse {
    const checked = checkProof(request, null);
    if (typeof checked === "string") return { ...refusal(checked), headers: nonceHeader() };
    const response = next(checked.jkt);
    return { ...response, headers: { ...response.headers, ...nonceHeader() } };
  }

  function push(body: URLSearchParams, jkt: string): EmulatedResponse {
    const redirectUri = body.get("redirect_uri") ?? "";
    const client = new URL(body.get("client_id") ?? "x:");
    const isClient =
      client.origin === "http://localhost" &&
      client.searchParams.get("redirect_uri") === redirectUri;
    const scopes = body.get("scope")?.split(" ") ?? [];
    if (!isClient || !scopes.includes("atproto") || body.get("code_challenge_method") !== "S256") {
      return refusal("invalid_request");
    }
    issued += 1;
    const requestUri = `urn:ietf:params:oauth:request_uri:req-${issued}`;
    pushed.set(requestUri, {
      challenge: body.get("code_challenge") ?? "",
      redirectUri,
      state: body.get("state") ?? "",
      jkt,
    });
    return { status: 201, json: { request_uri: requestUri, expires_in: 300 } };
  }

  function grant(body: URLSearchParams, jkt: string): EmulatedResponse {
    if (body.get("grant_type") === "refresh_token") {
      const token = body.get("refresh_token") ?? "";
      const isOwn = refresh.get(token) === jkt;
      refresh.delete(token);
      return isOwn ? tokens(jkt) : refusal("invalid_grant", "Invalid refresh token");
    }
    const code = body.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
    const isValid =
      grant !== undefined &&
      grant.jkt === jkt &&
      grant.redirectUri === body.get("redirect_uri") &&
      grant.challenge === computeHash(body.get("code_verifier") ?? "");
    return isValid ? tokens(jkt) : refusal("invalid_grant", "Invalid code");
  }

  function tokens(jkt: string): EmulatedResponse {
    issued += 1;
    const [accessToken, refreshToken] = [`access-token-${issued}`, `refresh-token-${issued}`];
    access.set(accessToken, jkt);
    refresh.set(refreshToken, jkt);
    return {
      status: 200,
      json: {
        access_token: accessToken,
        refresh_token: refreshToken,
        token_type: options.tokenType,
        expires_in: 3_600,
        scope: "atproto transition:generic",
        sub: options.subject,
      },
    };
  }

  function resource(request: IncomingMessage, method: string): EmulatedResponse {
    const [scheme, token = ""] = (request.headers.authorization ?? "").split(" ");
    const checked = checkProof(request, token);
    const isNonce = checked === "use_dpop_nonce";
    if (
      scheme === "DPoP" &&
      !isNonce &&
      typeof checked !== "string" &&
      access.get(token) === checked.jkt
    ) {
      return { status: 200, json: { did, handle, method }, headers: nonceHeader() };
    }
    const error = isNonce ? "use_dpop_nonce" : "invalid_token";
    const challenge = `DPoP error="${error}"`;
    return {
      ...refusal(error),
      status: 401,
      headers: { ...nonceHeader(), "www-authenticate": challenge },
    };
  }

  const metadata = () => ({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    pushed_authorization_request_endpoint: `${url}/oauth/par`,
    authorization_response_iss_parameter_supported: true,
    require_pushed_authorization_requests: true,
    dpop_signing_alg_values_supported: ["ES256"],
    code_challenge_methods_supported: ["S256"],
  });

  return {
    url,
    requests,
    options,
    count: (path) => requests.filter((request) => request.path === path).length,
    consent: (address, choice) => {
      const pushedRequest = pushed.get(new URL(address).searchParams.get("request_uri") ?? "");
      if (pushedRequest === undefined) throw new Error("unknown authorization address");
      const redirect = new URL(pushedRequest.redirectUri);
      redirect.searchParams.set("iss", url);
      redirect.searchParams.set("state", pushedRequest.state);
      if (choice === "no") redirect.searchParams.set("error", "access_denied");
      else {
        issued += 1;
        codes.set(`code-${issued}`, pushedRequest);
        redirect.searchParams.set("code", `code-${issued}`);
      }
      return redirect.href;
    },
    revoke: (which) => {
      access.clear();
      if (which === "all") refresh.clear();
    },
    changeNonce: () => {
      nonce += 1;
    },
    close,
  };
}

const computeHash = (text: string): string => createHash("sha256").update(text).digest("base64url");

const refusal = (error: string, description = ""): EmulatedResponse => ({
  status: 400,
  json: { error, error_description: description },
});
