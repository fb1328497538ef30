import type { Store } from "../db/operations.ts";
import type { RandomBytes } from "../lib/base62.ts";
import { accountOperations } from "./operations.ts";

/** Everything that is kept of accounts, as operations of the control store. */
export function accountStoreOperations(randomBytes: RandomBytes) {
  return { ...accountOperations(randomBytes) };
}

/** The part of the control store that tells of accounts. */
export type AccountStore = Store<ReturnType<typeof accountStoreOperations>>;
