import { createHash, randomBytes } from "node:crypto";

/** A login can pass to another user, an id cannot. */
export type EmulatedUser = {
  id: number;
  login: string;
  /** Membership by organization or group path. */
  organizations: Record<string, "active" | "pending">;
};

export type EmulatedResponse = { status: number; body: unknown };

export type Authorization = {
  redirectUri: string;
  state: string | null;
  scopes: readonly string[];
  codeChallenge: string | null;
};

type Grant = Authorization & { user: EmulatedUser; expiresMs: number };
type Token = { user: EmulatedUser; scopes: readonly string[] };

const codeLifetimeMs = 600_000;

/** A grant is valid once, for ten minutes, with its verifier. */
export function createGrants(now: () => number) {
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Token>();

  return {
    issueCode: (authorization: Authorization, user: EmulatedUser): string => {
      const code = randomBytes(10).toString("hex");
      grants.set(code, { ...authorization, user, expiresMs: now() + codeLifetimeMs });
      return code;
    },
    exchange: (code: string, verifier: string | null, redirectUri: string | null) => {
      const grant = grants.get(code);
      grants.delete(code);
      if (grant === undefined || grant.expiresMs <= now()) return null;
      if (redirectUri !== null && redirectUri !== grant.redirectUri) return "redirect_uri_mismatch";
      if (grant.codeChallenge !== null && grant.codeChallenge !== makeChallenge(verifier ?? "")) {
        return null;
      }
      const token = `gho_${randomBytes(18).toString("hex")}`;
      tokens.set(token, { user: grant.user, scopes: grant.scopes });
      return { token, scopes: grant.scopes };
    },
    holderOf: (authorization: string | undefined): Token | null =>
      tokens.get(authorization?.replace(/^(?:Bearer|token) /, "") ?? "") ?? null,
  };
}

export type Grants = ReturnType<typeof createGrants>;

const makeChallenge = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");
