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
  consent(authorizationUrl: string, choice: "yes" | "no"): string;
  /** `access` keeps refresh tokens valid. */
  revoke(kind: "access" | "all"): void;
  /** Requires a new DPoP nonce. */
  changeNonce(): void;
  options: { did: string; subject: string; tokenType: string; failWith: number | null };
  close(): Promise<void>;
};

type PushedRequest = { challenge: string; redirectUri: string; state: string; jkt: string };

export async function startOAuthEmulator(did: string, handle: string): Promise<OAuthEmulator> {
  const options: OAuthEmulator["options"] = {
    did,
    subject: did,
    tokenType: "DPoP",
    failWith: null,
  };
  const requests: OAuthEmulator["requests"] = [];
  const pushedRequests = new Map<string, PushedRequest>();
  const codes = new Map<string, PushedRequest>();
  const accessTokens = new Map<string, string>();
  const refreshTokens = new Map<string, string>();
  const usedProofs = new Set<string>();
  let nonce = 1;
  let issuedCount = 0;

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
    const [header = "", claims = "", signature = ""] = proof.split(".");
    const { typ, alg, jwk } = JSON.parse(Buffer.from(header, "base64url").toString() || "{}");
    const payload = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}");
    if (typ !== "dpop+jwt" || alg !== "ES256" || jwk?.d !== undefined) return "invalid_dpop_proof";
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const isSigned = verify(
      "sha256",
      Buffer.from(`${header}.${claims}`),
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
    const proofResult = checkProof(request, null);
    if (typeof proofResult === "string") return { ...refusal(proofResult), headers: nonceHeader() };
    const response = next(proofResult.jkt);
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
    issuedCount += 1;
    const requestUri = `urn:ietf:params:oauth:request_uri:req-${issuedCount}`;
    pushedRequests.set(requestUri, {
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
      const isOwn = refreshTokens.get(token) === jkt;
      refreshTokens.delete(token);
      return isOwn ? issueTokens(jkt) : refusal("invalid_grant", "Invalid refresh token");
    }
    const code = body.get("code") ?? "";
    const codeGrant = codes.get(code);
    codes.delete(code);
    const isValid =
      codeGrant !== undefined &&
      codeGrant.jkt === jkt &&
      codeGrant.redirectUri === body.get("redirect_uri") &&
      codeGrant.challenge === computeHash(body.get("code_verifier") ?? "");
    return isValid ? issueTokens(jkt) : refusal("invalid_grant", "Invalid code");
  }

  function issueTokens(jkt: string): EmulatedResponse {
    issuedCount += 1;
    const [accessToken, refreshToken] = [
      `access-token-${issuedCount}`,
      `refresh-token-${issuedCount}`,
    ];
    accessTokens.set(accessToken, jkt);
    refreshTokens.set(refreshToken, jkt);
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
    const proofResult = checkProof(request, token);
    const isNonce = proofResult === "use_dpop_nonce";
    if (
      scheme === "DPoP" &&
      !isNonce &&
      typeof proofResult !== "string" &&
      accessTokens.get(token) === proofResult.jkt
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
    consent: (authorizationUrl, choice) => {
      const pushedRequest = pushedRequests.get(
        new URL(authorizationUrl).searchParams.get("request_uri") ?? "",
      );
      if (pushedRequest === undefined) throw new Error("unknown authorization URL");
      const redirect = new URL(pushedRequest.redirectUri);
      redirect.searchParams.set("iss", url);
      redirect.searchParams.set("state", pushedRequest.state);
      if (choice === "no") redirect.searchParams.set("error", "access_denied");
      else {
        issuedCount += 1;
        codes.set(`code-${issuedCount}`, pushedRequest);
        redirect.searchParams.set("code", `code-${issuedCount}`);
      }
      return redirect.href;
    },
    revoke: (kind) => {
      accessTokens.clear();
      if (kind === "all") refreshTokens.clear();
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
