/** `accountId` is null for an application. */
export type Token = { token: string; scopes: readonly string[]; accountId: string | null };

export type App = {
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
  redirectUri: string;
};

export function createTokens() {
  const tokens = new Map<string, Token>();
  const apps = new Map<string, App>();
  let count = 0;

  function addToken(values: { accountId?: string | null; scopes?: readonly string[] }): Token {
    count += 1;
    const { accountId = null, scopes = ["read"] } = values;
    const token = {
      token: `${accountId === null ? "app" : "user"}-token-${count}`,
      scopes,
      accountId,
    };
    tokens.set(token.token, token);
    return token;
  }

  function addApp(
    scopes: readonly string[] = ["read"],
    redirectUri = "urn:ietf:wg:oauth:2.0:oob",
  ): App {
    count += 1;
    const clientSecret = `client-secret-${count}`;
    const app = { clientId: `client-${count}`, clientSecret, scopes, redirectUri };
    apps.set(app.clientId, app);
    return app;
  }

  function grantToken(
    form: URLSearchParams,
    { needsRedirectUri }: { needsRedirectUri: boolean },
  ): { status: number; body: unknown } {
    const app = apps.get(form.get("client_id") ?? "");
    if (app === undefined || app.clientSecret !== form.get("client_secret")) {
      return {
        status: 401,
        body: {
          error: "invalid_client",
          error_description:
            "Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.",
        },
      };
    }
    if (form.get("grant_type") !== "client_credentials") {
      return { status: 400, body: { error: "unsupported_grant_type" } };
    }
    if (needsRedirectUri && form.get("redirect_uri") !== app.redirectUri) {
      return { status: 400, body: badRedirectUri(form.get("redirect_uri")) };
    }
    const scopes = (form.get("scope") ?? "read").split(" ");
    if (scopes.some((scope) => !allows(app.scopes, scope))) {
      return {
        status: 400,
        body: {
          error: "invalid_scope",
          error_description: "The requested scope is invalid, unknown, or malformed.",
        },
      };
    }
    const { token } = addToken({ scopes });
    return {
      status: 200,
      body: {
        access_token: token,
        token_type: "Bearer",
        scope: scopes.join(" "),
        created_at: 1,
      },
    };
  }

  return {
    addToken,
    addApp,
    grant: grantToken,
    revoke: (token: string) => tokens.delete(token),
    find: (authorization: string | undefined): Token | null | "unknown" => {
      if (authorization === undefined) return null;
      const token = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? "";
      return tokens.get(token) ?? "unknown";
    },
  };
}

export const allows = (scopes: readonly string[], requiredScope: string): boolean =>
  scopes.includes(requiredScope) || scopes.includes(requiredScope.split(":")[0] ?? "");

const badRedirectUri = (redirectUri: string | null) => ({
  error: "invalid_request",
  error_description:
    redirectUri === null
      ? "Bad Request: redirect_uri must be set in the token request form"
      : "Bad Request: redirect_uri does not match the application's",
});
