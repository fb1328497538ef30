import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";
import { hashSecret, type SecretToken, tokenFormat } from "../token-format.ts";

export const authorizationCode = tokenFormat("ear_code");
export const accessToken = tokenFormat("ear_access");

const halfLength = 32;

/**
 * The first half of the secret is the same in all of a grant's refresh tokens: a replaced one can
 * be distinguished from a guess without being stored.
 */
export const refreshToken = tokenFormat("ear_refresh", 2 * halfLength);

export const refreshSecret = (family: string, randomBytes: RandomBytes): string =>
  family + randomBase62(halfLength, randomBytes);

export const newFamily = (randomBytes: RandomBytes): string =>
  randomBase62(halfLength, randomBytes);

export const tokenFamily = ({ secret }: SecretToken): string => secret.slice(0, halfLength);

export const hashTokenFamily = (token: SecretToken): Uint8Array => hashSecret(tokenFamily(token));
