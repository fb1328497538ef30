import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { CatalogAccounts } from "./accounts.ts";

/** Sorts after every revision of a source. */
export const forgottenRevision = "~";

export const foreverMs = 8_640_000_000_000_000;

/** Prevents replays and imports from restoring deleted posts. */
export type Tombstones = {
  add(deleted: { uri: string; revision: string }): void;
  covers(post: DatedPost): boolean;
};

type DatedPost = { uri: string; revision: string; userId: string | null; observedMs: number };

export function openTombstones(
  catalog: DatabaseSync,
  platform: Platform,
  accounts: CatalogAccounts,
): Tombstones {
  const insertTombstone = catalog.prepare(
    `INSERT INTO tombstone VALUES(?, ?, ?)
     ON CONFLICT DO UPDATE SET revision = max(revision, excluded.revision)`,
  );
  const selectTombstone = catalog.prepare(
    "SELECT revision FROM tombstone WHERE platform = ? AND uri = ?",
  );
  const hasAccounts = accounts.hasAny(platform);
  let isEmpty =
    catalog.prepare("SELECT 1 FROM tombstone WHERE platform = ? LIMIT 1").get(platform) ===
    undefined;
  return {
    add: ({ uri, revision }) => {
      isEmpty = false;
      insertTombstone.run(platform, uri, revision);
    },
    covers: ({ uri, revision, userId, observedMs }) => {
      const account = userId === null || !hasAccounts ? null : accounts.read(platform, userId);
      const deletedMs = account?.deletedMs ?? null;
      if (deletedMs !== null && observedMs <= deletedMs) return true;
      if (isEmpty) return false;
      const row = selectTombstone.get(platform, uri);
      return row !== undefined && String(row.revision) >= revision;
    },
  };
}
