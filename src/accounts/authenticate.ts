import { timingSafeEqual } from "node:crypto";
import type { Store } from "../db/operations.ts";
import { hashSecret, parseApiKey } from "./api-key.ts";
import type { AccountOperations } from "./operations.ts";

/** Whose key a request names, with the key's own limits; null is the deployment's. */
export type Caller = {
  keyId: string;
  accountId: string;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

const noHash = new Uint8Array(32);

/**
 * The caller of a token; null when it is mistyped, unknown, revoked or wrong. Each call asks the store, so that a key revoked
 * by another process is refused at once. An unknown id takes as long as a wrong secret.
 */
export async function authenticate(
  store: Store<AccountOperations>,
  token: string,
): Promise<Caller | null> {
  const key = parseApiKey(token);
  if (key === null) return null;
  const found = await store.read("findKey", { id: key.id });
  const same = timingSafeEqual(hashSecret(key.secret), found?.secretHash ?? noHash);
  if (found === null || !same) return null;
  const { id, accountId, requestsPerSecond, submissionsPerMinute } = found;
  return { keyId: id, accountId, requestsPerSecond, submissionsPerMinute };
}
