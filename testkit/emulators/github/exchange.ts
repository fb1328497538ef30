import type { EmulatedResponse, Grants } from "./model.ts";

export function createExchange({
  grants,
  clientId,
  clientSecret,
  issuer,
  now,
}: {
  grants: Grants;
  clientId: string;
  clientSecret: string;
  issuer: string;
  now: () => number;
}) {
  const isClient = (form: URLSearchParams): boolean =>
    form.get("client_id") === clientId && form.get("client_secret") === clientSecret;

  const redeemCode = (form: URLSearchParams) =>
    grants.exchange(form.get("code") ?? "", form.get("code_verifier"), form.get("redirect_uri"));

  /** Errors have status 200. */
  function atGitHub(form: URLSearchParams): EmulatedResponse {
    if (!isClient(form)) return { status: 200, body: { error: "incorrect_client_credentials" } };
    const grant = redeemCode(form);
    if (grant === "redirect_uri_mismatch") return { status: 200, body: { error: grant } };
    if (grant === null) {
      const error_description = "The code passed is incorrect or expired.";
      return { status: 200, body: { error: "bad_verification_code", error_description } };
    }
    const { token, scopes } = grant;
    return {
      status: 200,
      body: { access_token: token, token_type: "bearer", scope: scopes.join(",") },
    };
  }

  function atGitLab(form: URLSearchParams): EmulatedResponse {
    if (!isClient(form)) return { status: 401, body: { error: "invalid_client" } };
    const grant = redeemCode(form);
    if (grant === null || typeof grant === "string") {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    const { token, scopes } = grant;
    return {
      status: 200,
      body: {
        access_token: token,
        token_type: "Bearer",
        expires_in: 7_200,
        refresh_token: "emulated-refresh",
        scope: scopes.join(" "),
        created_at: Math.floor(now() / 1000),
        ...(scopes.includes("openid") ? { id_token: idToken() } : {}),
      },
    };
  }

  /** Makes an unsigned token with the real time. */
  function idToken(): string {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: "42", aud: clientId, iat: seconds, exp: seconds + 120 };
    const parts = [{ alg: "RS256", typ: "JWT" }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    return [...parts, "AAAA"].join(".");
  }

  return { atGitHub, atGitLab };
}
