import { createHash, randomUUID } from "node:crypto";

/** `secret` is null for a public client. */
export type EmulatedClient = { id: string; secret: string | null; redirectUri: string };

export type Grant = { userId: string; scopes: readonly string[]; clientId: string };
export type IssuedTokens = { accessToken: string; refreshToken: string };

type Session = Grant & {
  isRevoked: boolean;
  accessToken: string;
  refreshToken: string;
  usedRefreshTokens: Set<string>;
};

export type TokenResponse = { status: number; body: unknown };

/** Reusing a refresh token revokes its session. */
export function createTokens(options: {
  clients: readonly EmulatedClient[];
  accessTokenMs: number;
  now: () => number;
}) {
  const { clients, accessTokenMs, now } = options;
  const sessions: Session[] = [];
  const expiresMs = new Map<string, number>();
  const codes = new Map<string, Grant & { challenge: string; redirectUri: string }>();

  function newToken(kind: string): string {
    return `${kind}-${randomUUID()}`;
  }

  function renew(session: Session): void {
    session.usedRefreshTokens.add(session.refreshToken);
    expiresMs.delete(session.accessToken);
    session.accessToken = newToken("at");
    session.refreshToken = newToken("rt");
    expiresMs.set(session.accessToken, now() + accessTokenMs);
  }

  function issue(grant: Grant): Session {
    const session = {
      ...grant,
      isRevoked: false,
      accessToken: "",
      refreshToken: "",
      usedRefreshTokens: new Set<string>(),
    };
    renew(session);
    sessions.push(session);
    return session;
  }

  const responseFor = ({ accessToken, refreshToken, scopes }: Session): TokenResponse => ({
    status: 200,
    body: {
      token_type: "bearer",
      expires_in: accessTokenMs / 1_000,
      access_token: accessToken,
      scope: scopes.join(" "),
      ...(scopes.includes("offline.access") ? { refresh_token: refreshToken } : {}),
    },
  });

  const errorResponse = (status: number, error: string, description: string): TokenResponse => ({
    status,
    body: { error, error_description: description },
  });

  function findClient(form: URLSearchParams, authorization: string): EmulatedClient | null {
    const [, encodedCredentials] = /^Basic (.+)$/.exec(authorization) ?? [];
    const [basicId = "", secret] =
      encodedCredentials === undefined
        ? []
        : Buffer.from(encodedCredentials, "base64").toString().split(":");
    const id =
      encodedCredentials === undefined ? form.get("client_id") : decodeURIComponent(basicId);
    const client = clients.find((other) => other.id === id);
    if (client === undefined) return null;
    return (client.secret ?? undefined) ===
      (secret === undefined ? undefined : decodeURIComponent(secret))
      ? client
      : null;
  }

  function redeemCode(form: URLSearchParams, client: EmulatedClient): TokenResponse {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isValid =
      code !== undefined &&
      code.clientId === client.id &&
      code.redirectUri === form.get("redirect_uri") &&
      code.challenge === challenge;
    if (!isValid)
      return errorResponse(
        400,
        "invalid_request",
        "Value passed for the authorization code was invalid.",
      );
    return responseFor(issue(code));
  }

  function redeemRefreshToken(form: URLSearchParams, client: EmulatedClient): TokenResponse {
    const token = form.get("refresh_token") ?? "";
    const reusedSession = sessions.find(({ usedRefreshTokens }) => usedRefreshTokens.has(token));
    if (reusedSession !== undefined) reusedSession.isRevoked = true;
    const session = sessions.find(
      (other) => other.refreshToken === token && !other.isRevoked && other.clientId === client.id,
    );
    if (session === undefined)
      return errorResponse(400, "invalid_request", "Value passed for the token was invalid.");
    renew(session);
    return responseFor(session);
  }

  return {
    grant: (grant: Grant): IssuedTokens => {
      const { accessToken, refreshToken } = issue(grant);
      return { accessToken, refreshToken };
    },
    token: (form: URLSearchParams, authorization: string): TokenResponse => {
      const client = findClient(form, authorization);
      if (client === null)
        return errorResponse(401, "unauthorized_client", "Missing valid authorization header");
      if (form.get("grant_type") === "authorization_code") return redeemCode(form, client);
      if (form.get("grant_type") === "refresh_token") return redeemRefreshToken(form, client);
      return errorResponse(400, "unsupported_grant_type", "");
    },
    authorize: (query: URLSearchParams, userId: string): URL | null => {
      const client = clients.find(({ id }) => id === query.get("client_id"));
      const challenge = query.get("code_challenge");
      const redirectUri = query.get("redirect_uri");
      if (client === undefined || redirectUri !== client.redirectUri || challenge === null)
        return null;
      if (query.get("code_challenge_method") !== "S256" || !query.get("state")) return null;
      const code = newToken("code");
      const scopes = (query.get("scope") ?? "").split(" ");
      codes.set(code, { userId, scopes, clientId: client.id, challenge, redirectUri });
      const url = new URL(redirectUri);
      url.search = new URLSearchParams({ state: query.get("state") ?? "", code }).toString();
      return url;
    },
    find: (accessToken: string): Grant | null => {
      const session = sessions.find(
        (other) => other.accessToken === accessToken && !other.isRevoked,
      );
      const isValid = (expiresMs.get(accessToken) ?? 0) > now();
      return session !== undefined && isValid ? session : null;
    },
    revoke: (userId: string): void => {
      for (const session of sessions) session.isRevoked ||= session.userId === userId;
    },
  };
}
