import { createHash, randomBytes } from "node:crypto";

/** A user of the code host. Tests may change it: logins can change owners, ids cannot. */
export type EmulatedUser = {
  id: number;
  login: string;
  /** Organisations, or paths of groups, with the state of the membership. */
  organizations: Record<string, "active" | "pending">;
};

/** What a request is answered with; a text stays as it is. */
export type Answer = { status: number; body: unknown };

/** The parameters of the consent page. */
export type Authorization = {
  redirectUri: string;
  state: string | null;
  scopes: readonly string[];
  codeChallenge: string | null;
};

type Grant = Authorization & { user: EmulatedUser; expiresMs: number };
type Token = { user: EmulatedUser; scopes: readonly string[] };

const codeLifeMs = 600_000;

/** The codes and tokens of an emulator: a code is good once and for ten minutes, with the verifier of its challenge. */
export function createGrants(now: () => number) {
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Token>();

  return {
    issueCode: (authorization: Authorization, user: EmulatedUser): string => {
      const code = randomBytes(10).toString("hex");
      grants.set(code, { ...authorization, user, expiresMs: now() + codeLifeMs });
      return code;
    },
    /** The token that a code is exchanged for; null when it is none, used, too old, or the verifier does not fit. */
    exchange: (code: string, verifier: string | null, redirectUri: string | null) => {
      const grant = grants.get(code);
      grants.delete(code);
      if (grant === undefined || grant.expiresMs <= now()) return null;
      if (redirectUri !== null && redirectUri !== grant.redirectUri) return "redirect_uri_mismatch";
      if (grant.codeChallenge !== null && grant.codeChallenge !== challengeOf(verifier ?? "")) {
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

const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");
