import type { Store } from "../../db/operations.ts";
import type { Platform } from "../../posts/post.ts";
import type { CredentialOperations } from "./operations.ts";
import type { StoredCredential } from "./rows.ts";

export type ReadUsableCredentials = (
  platform: Platform,
  accountId: string,
) => Promise<readonly StoredCredential[]>;

type Batch = {
  platforms: Set<Platform>;
  rows: Promise<readonly StoredCredential[]>;
};

/** Batches concurrent reads: a job needs several platforms and access methods together. */
export function createUsableCredentialReads(
  store: Pick<Store<CredentialOperations>, "read">,
): ReadUsableCredentials {
  const openBatches = new Map<string, Batch>();

  function startBatch(accountId: string): Batch {
    const platforms = new Set<Platform>();
    const rows = Promise.resolve().then(() => {
      openBatches.delete(accountId);
      return store.read("usableCredentials", { accountId, platforms: [...platforms] });
    });
    const batch = { platforms, rows };
    openBatches.set(accountId, batch);
    return batch;
  }

  return async (platform, accountId) => {
    const { platforms, rows } = openBatches.get(accountId) ?? startBatch(accountId);
    platforms.add(platform);
    return (await rows).filter(({ credential }) => credential.platform === platform);
  };
}
