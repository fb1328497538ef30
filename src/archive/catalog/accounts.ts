import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { AccountStatus, ArchiveChange, NamedAccount } from "../archive.ts";
import { currentHandleReader } from "./catalog.ts";

type AccountRow = {
  status: AccountStatus;
  statusMs: number;
  deletedMs: number | null;
  name: string | null;
  labels: readonly string[];
};

type ChangeOf<Kind extends ArchiveChange["kind"]> = Extract<ArchiveChange, { kind: Kind }>;

export type CatalogAccounts = {
  read(platform: Platform, userId: string): AccountRow | null;
  hasAny(platform: Platform): boolean;
  add(platform: Platform, userId: string): void;
  setStatus(change: ChangeOf<"account">): boolean;
  setProfile(change: ChangeOf<"profile">): boolean;
  setLookedUp(change: ChangeOf<"looked-up">): void;
  /** Accounts that have never been looked up come first. */
  dueForLookUp(platform: Platform, beforeMs: number, limit: number): string[];
};

export function openCatalogAccounts(catalog: DatabaseSync): CatalogAccounts {
  const selectAccount = catalog.prepare("SELECT * FROM account WHERE platform = ? AND user_id = ?");
  const selectAnyAccount = catalog.prepare("SELECT 1 FROM account WHERE platform = ? LIMIT 1");
  const insertAccount = catalog.prepare(
    "INSERT OR IGNORE INTO account(platform, user_id) VALUES(?, ?)",
  );
  const updateStatus = catalog.prepare(
    `UPDATE account SET status = ?, status_ms = ? WHERE platform = ? AND user_id = ? AND status_ms <= ?`,
  );
  const updateDeleted = catalog.prepare(
    `UPDATE account SET deleted_ms = max(coalesce(deleted_ms, 0), ?) WHERE platform = ? AND user_id = ?`,
  );
  const updateProfile = catalog.prepare(
    `UPDATE account SET name = ?, labels = ?, profile_ms = ?
     WHERE platform = ? AND user_id = ? AND profile_ms <= ?`,
  );
  const updateLookedUp = catalog.prepare(
    `UPDATE account SET looked_up_ms = max(looked_up_ms, ?) WHERE platform = ? AND user_id = ?`,
  );
  const selectDueLookUps = catalog.prepare(
    `SELECT user_id FROM account WHERE platform = ? AND looked_up_ms < ?
     ORDER BY looked_up_ms LIMIT ?`,
  );
  return {
    read: (platform, userId) => {
      const row = selectAccount.get(platform, userId);
      if (row === undefined) return null;
      return {
        status: row.status as AccountStatus,
        statusMs: Number(row.status_ms),
        deletedMs: row.deleted_ms === null ? null : Number(row.deleted_ms),
        name: row.name === null ? null : String(row.name),
        labels: JSON.parse(String(row.labels)) as string[],
      };
    },
    hasAny: (platform) => selectAnyAccount.get(platform) !== undefined,
    add: (platform, userId) => {
      insertAccount.run(platform, userId);
    },
    // Platforms report all accounts, so an unknown account is added only if a label, or a status
    // other than `opted-out`, could hide its posts.
    setStatus: ({ platform, userId, status, observedMs }) => {
      if (status !== "active" && status !== "opted-out") insertAccount.run(platform, userId);
      if (status === "deleted") updateDeleted.run(observedMs, platform, userId);
      return updateStatus.run(status, observedMs, platform, userId, observedMs).changes > 0;
    },
    setProfile: ({ platform, userId, name, labels, observedMs }) => {
      if (labels.length > 0) insertAccount.run(platform, userId);
      const values = [name, JSON.stringify(labels), observedMs];
      return updateProfile.run(...values, platform, userId, observedMs).changes > 0;
    },
    setLookedUp: ({ platform, userId, atMs }) => {
      insertAccount.run(platform, userId);
      updateLookedUp.run(atMs, platform, userId);
    },
    dueForLookUp: (platform, beforeMs, limit) =>
      selectDueLookUps.all(platform, beforeMs, limit).map((row) => String(row.user_id)),
  };
}

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
