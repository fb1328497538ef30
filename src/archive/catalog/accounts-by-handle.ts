import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { NamedAccount } from "../archive.ts";
import type { CatalogAccounts } from "./accounts.ts";
import { currentHandleReader } from "./catalog.ts";

export const maxNamedAccounts = 20;

/**
 * Matches the handle on X, `<name>.bsky.social` on Bluesky, and `<name>@` with any host on
 * Mastodon. Omits former handles and inactive accounts.
 */
export function accountsNamed(
  catalog: DatabaseSync,
  { read }: Pick<CatalogAccounts, "read">,
): (name: string) => NamedAccount[] {
  const handleOf = currentHandleReader(catalog);
  const selectByName = catalog.prepare(
    `SELECT platform, user_id, handle FROM handle WHERE handle = :name AND platform = 'x'
     UNION ALL SELECT platform, user_id, handle FROM handle
       WHERE handle = :name || '.bsky.social' AND platform = 'bluesky'
     UNION ALL SELECT platform, user_id, handle FROM handle
       WHERE handle >= :name || '@' AND handle < :name || 'A' AND platform = 'mastodon'`,
  );
  return (name) => {
    const accounts = new Map<string, NamedAccount>();
    for (const row of selectByName.iterate({ name })) {
      const platform = String(row.platform) as Platform;
      const userId = String(row.user_id);
      const handle = String(row.handle);
      if (handleOf(platform, userId) !== handle) continue;
      if ((read(platform, userId)?.status ?? "active") !== "active") continue;
      accounts.set(`${platform} ${handle}`, { platform, handle });
      if (accounts.size === maxNamedAccounts) break;
    }
    return [...accounts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, account]) => account);
  };
}
