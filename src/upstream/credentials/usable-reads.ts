import type { Store } from "../../db/operations.ts";
import type { Platform } from "../../posts/post.ts";
import type { CredentialOperations } from "./operations.ts";
import type { StoredCredential } from "./rows.ts";

export type UsableReads = (
  platform: Platform,
  accountId: string,
) => Promise<readonly StoredCredential[]>;

type Gathering = {
  platforms: Set<Platform>;
  rows: Promise<readonly StoredCredential[]>;
};

/** Batches concurrent reads, because a job needs several platforms and access kinds at once. */
export function createUsableReads(store: Pick<Store<CredentialOperations>, "read">): UsableReads {
  const gathering = new Map<string, Gathering>();

  function begin(accountId: string): Gathering {
    const platforms = new Set<Platform>();
    const rows = Promise.resolve().then(() => {
      gathering.delete(accountId);
      return store.read("usableCredentials", { accountId, platforms: [...platforms] });
    });
    const started = { platforms, rows };
    gathering.set(accountId, started);
    return started;
  }

  return async (platform, accountId) => {
    const { platforms, rows } = gathering.get(accountId) ?? begin(accountId);
    platforms.add(platform);
    return (await rows).filter(({ credential }) => credential.platform === platform);
  };
}
