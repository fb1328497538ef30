import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { AccountStatus, ArchiveChange } from "../archive.ts";

/** What the catalog knows of an account, by its id in lower case. */
type AccountRow = {
  status: AccountStatus;
  statusMs: number;
  /** When it was deleted last: what it wrote before that is gone for good. */
  deletedMs: number | null;
  name: string | null;
  labels: readonly string[];
};

type Of<Kind extends ArchiveChange["kind"]> = Extract<ArchiveChange, { kind: Kind }>;

/** The accounts that hosts, the accounts themselves or look-ups have told something of, or whose posts came without a handle. */
export type Accounts = {
  read(platform: Platform, userId: string): AccountRow | null;
  /** Whether anything is known of any account of a platform. */
  any(platform: Platform): boolean;
  /** Notes an account, so that it is looked up. */
  add(platform: Platform, userId: string): void;
  /** False for what is older than what is known. */
  setStatus(change: Of<"account">): boolean;
  setProfile(change: Of<"profile">): boolean;
  setLookedUp(change: Of<"looked-up">): void;
  /** Those that were not asked for since a time, the ones never asked for first. */
  toLookUp(platform: Platform, beforeMs: number, limit: number): string[];
};

export function accountsOf(catalog: DatabaseSync): Accounts {
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
    // The network tells of everybody: of those who are not known here only what keeps their posts from being shown is noted.
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
