import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { AccountStatus, ArchiveChange } from "../archive.ts";

type AccountRow = {
  status: AccountStatus;
  statusMs: number;
  deletedMs: number | null;
  name: string | null;
  labels: readonly string[];
};

type Of<Kind extends ArchiveChange["kind"]> = Extract<ArchiveChange, { kind: Kind }>;

export type CatalogAccounts = {
  read(platform: Platform, userId: string): AccountRow | null;
  any(platform: Platform): boolean;
  add(platform: Platform, userId: string): void;
  setStatus(change: Of<"account">): boolean;
  setProfile(change: Of<"profile">): boolean;
  setLookedUp(change: Of<"looked-up">): void;
  /** Accounts that were never looked up come first. */
  toLookUp(platform: Platform, beforeMs: number, limit: number): string[];
};

export function accountsOf(catalog: DatabaseSync): CatalogAccounts {
  const find = catalog.prepare("SELECT * FROM account WHERE platform = ? AND user_id = ?");
  const any = catalog.prepare("SELECT 1 FROM account WHERE platform = ? LIMIT 1");
  const add = catalog.prepare("INSERT OR IGNORE INTO account(platform, user_id) VALUES(?, ?)");
  const setStatus = catalog.prepare(
    `UPDATE account SET status = ?, status_ms = ? WHERE platform = ? AND user_id = ? AND status_ms <= ?`,
  );
  const setDeleted = catalog.prepare(
    `UPDATE account SET deleted_ms = max(coalesce(deleted_ms, 0), ?) WHERE platform = ? AND user_id = ?`,
  );
  const setProfile = catalog.prepare(
    `UPDATE account SET name = ?, labels = ?, profile_ms = ?
     WHERE platform = ? AND user_id = ? AND profile_ms <= ?`,
  );
  const setLookedUp = catalog.prepare(
    `UPDATE account SET looked_up_ms = max(looked_up_ms, ?) WHERE platform = ? AND user_id = ?`,
  );
  const toLookUp = catalog.prepare(
    `SELECT user_id FROM account WHERE platform = ? AND looked_up_ms < ?
     ORDER BY looked_up_ms LIMIT ?`,
  );
  return {
    read: (platform, userId) => {
      const row = find.get(platform, userId);
      if (row === undefined) return null;
      return {
        status: row.status as AccountStatus,
        statusMs: Number(row.status_ms),
        deletedMs: row.deleted_ms === null ? null : Number(row.deleted_ms),
        name: row.name === null ? null : String(row.name),
        labels: JSON.parse(String(row.labels)) as string[],
      };
    },
    any: (platform) => any.get(platform) !== undefined,
    add: (platform, userId) => {
      add.run(platform, userId);
    },
    // Networks report all accounts: an unknown one is added only for a status other than
    // `opted-out`, or a label, that could hide its posts.
    setStatus: ({ platform, userId, status, observedMs }) => {
      if (status !== "active" && status !== "opted-out") add.run(platform, userId);
      if (status === "deleted") setDeleted.run(observedMs, platform, userId);
      return setStatus.run(status, observedMs, platform, userId, observedMs).changes > 0;
    },
    setProfile: ({ platform, userId, name, labels, observedMs }) => {
      if (labels.length > 0) add.run(platform, userId);
      const values = [name, JSON.stringify(labels), observedMs];
      return setProfile.run(...values, platform, userId, observedMs).changes > 0;
    },
    setLookedUp: ({ platform, userId, atMs }) => {
      add.run(platform, userId);
      setLookedUp.run(atMs, platform, userId);
    },
    toLookUp: (platform, beforeMs, limit) =>
      toLookUp.all(platform, beforeMs, limit).map((row) => String(row.user_id)),
  };
}
