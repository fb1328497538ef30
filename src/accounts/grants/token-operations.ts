import { timingSafeEqual } from "node:crypto";
import { durable } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Method } from "../../platforms/methods.ts";
import { parseMethods } from "../keys/key.ts";
import { hashSecret, type SecretToken } from "../token-format.ts";
import { isResource } from "./authorization-request.ts";
import { endGrant, findGrant, type GrantRow } from "./grant-rows.ts";
import {
  accessToken,
  hashTokenFamily,
  newFamily,
  refreshSecret,
  refreshToken,
  tokenFamily,
} from "./grant-tokens.ts";

type TokenRequest = {
  token: SecretToken;
  clientId: string;
  resource: string | null;
  nowMs: number;
  lifetimes: GrantLifetimes;
};

type GrantLifetimes = { accessMs: number; refreshMs: number };

export type CodeExchange = TokenRequest & {
  redirectUri: string | null;
  /** The S256 hash of the `code_verifier`. */
  codeChallenge: string;
};

export type IssuedTokens = {
  kind: "issued";
  accessToken: string;
  refreshToken: string;
  methods: readonly Method[];
};

/** `isReuse`: the token was used before, so the grant is revoked. */
export type TokenRefusal = {
  kind: "refused";
  error: "invalid_grant" | "invalid_target";
  reason: string;
  isReuse: boolean;
};

/** Refusals are returned rather than thrown, because an error would roll back the revocation. */
export function tokenOperations(randomBytes: RandomBytes) {
  function* issue(
    database: Database,
    grant: GrantRow,
    family: string,
    { nowMs, lifetimes }: TokenRequest,
  ): Steps<IssuedTokens> {
    const { id } = grant;
    const access = { ...accessToken.create(randomBytes), id };
    const refresh = { id, secret: refreshSecret(family, randomBytes) };
    yield* database.run(
      `UPDATE oauth_grant SET access_hash = :accessHash, access_expires_ms = :accessExpiresMs, family_hash = :familyHash,
         refresh_hash = :refreshHash, expires_ms = :expiresMs WHERE id = :id`,
      {
        id,
        accessHash: hashSecret(access.secret),
        accessExpiresMs: nowMs + lifetimes.accessMs,
        familyHash: hashTokenFamily(refresh),
        refreshHash: hashSecret(refresh.secret),
        expiresMs: nowMs + lifetimes.refreshMs,
      },
    );
    return {
      kind: "issued",
      accessToken: accessToken.print(access),
      refreshToken: refreshToken.print(refresh),
      methods: parseMethods(grant.methods) ?? [],
    };
  }

  return {
    exchangeCode: durable(function* (
      database,
      request: CodeExchange,
    ): Steps<IssuedTokens | TokenRefusal> {
      const { token, nowMs } = request;
      const grant = yield* findGrant(database, token.id);
      if (grant === undefined || !isSameHash(grant.codeHash, hashSecret(token.secret))) {
        return refusal("unknown code");
      }
      if (grant.accessHash !== null || grant.revokedMs !== null) {
        return yield* revokeReused(database, grant, "the code was used before", nowMs);
      }
      if (grant.expiresMs <= nowMs) return refusal("the code has expired");
      const mismatchRefusal = mismatch(grant, request);
      if (mismatchRefusal !== null) return mismatchRefusal;
      if (request.redirectUri !== null && request.redirectUri !== grant.redirectUri) {
        return refusal("redirect_uri differs from that of the authorization request");
      }
      if (request.codeChallenge !== grant.codeChallenge) {
        return refusal("code_verifier does not match the code_challenge");
      }
      return yield* issue(database, grant, newFamily(randomBytes), request);
    }),

    refreshTokens: durable(function* (
      database,
      request: TokenRequest,
    ): Steps<IssuedTokens | TokenRefusal> {
      const { token, nowMs } = request;
      const grant = yield* findGrant(database, token.id);
      if (grant === undefined || !isSameHash(grant.familyHash, hashTokenFamily(token))) {
        return refusal("unknown refresh token");
      }
      if (grant.revokedMs !== null) return refusal("the connection was revoked");
      if (!isSameHash(grant.refreshHash, hashSecret(token.secret))) {
        return yield* revokeReused(database, grant, "the refresh token was used before", nowMs);
      }
      if (grant.expiresMs <= nowMs) return refusal("the refresh token has expired");
      return (
        mismatch(grant, request) ?? (yield* issue(database, grant, tokenFamily(token), request))
      );
    }),

    /** Revokes the grant to which the token belongs (RFC 7009); ignores unknown tokens. */
    revokeToken: durable(function* (
      database,
      request: { kind: "access" | "refresh"; token: SecretToken; clientId: string; nowMs: number },
    ): Steps<boolean> {
      const { kind, token, clientId, nowMs } = request;
      const grant = yield* findGrant(database, token.id);
      if (grant === undefined || grant.revokedMs !== null || grant.clientId !== clientId) {
        return false;
      }
      const isMatch =
        kind === "access"
          ? isSameHash(grant.accessHash, hashSecret(token.secret))
          : isSameHash(grant.familyHash, hashTokenFamily(token));
      if (isMatch) yield* endGrant(database, grant, { cause: "app", nowMs });
      return isMatch;
    }),
  };
}

const refusal = (reason: string, isReuse = false): TokenRefusal => ({
  kind: "refused",
  error: "invalid_grant",
  reason,
  isReuse,
});

function mismatch(grant: GrantRow, { clientId, resource }: TokenRequest): TokenRefusal | null {
  if (grant.clientId !== clientId) return refusal("the token was issued to another client_id");
  if (grant.isSuspended === 1) return refusal("the account is suspended");
  if (resource !== null && !isResource(resource, grant.resource)) {
    return { ...refusal(`the token was issued for ${grant.resource}`), error: "invalid_target" };
  }
  return null;
}

function* revokeReused(
  database: Database,
  grant: GrantRow,
  reason: string,
  nowMs: number,
): Steps<TokenRefusal> {
  if (grant.revokedMs === null) yield* endGrant(database, grant, { cause: "token_reused", nowMs });
  return refusal(`${reason}, so all tokens of this connection are revoked`, true);
}

function isSameHash(storedHash: Uint8Array | null, presentedHash: Uint8Array): boolean {
  return storedHash !== null && timingSafeEqual(storedHash, presentedHash);
}
