import type { DatabaseSync } from "node:sqlite";

/**
 * Deletions are also recorded in segments, because the catalog may have to be rebuilt. Deletions of
 * posts that are not archived are only in the catalog, unless an operator requested them.
 */
export type Deletions = {
  addPost(uri: string, revision: string): void;
  addAccount(userId: string, deletedMs: number): void;
};

/** Requires a transaction. */
export function deletionsIn(segment: DatabaseSync): Deletions {
  const insertTombstone = segment.prepare(
    `INSERT OR REPLACE INTO tombstone(uri, revision)
     VALUES(?1, max(?2, coalesce((SELECT revision FROM tombstone WHERE uri = ?1), '')))`,
  );
  const insertDeletedAccount = segment.prepare(
    `INSERT OR REPLACE INTO deleted_account(user_id, deleted_ms)
     VALUES(?1, max(?2, coalesce((SELECT deleted_ms FROM deleted_account WHERE user_id = ?1), 0)))`,
  );
  return {
    addPost: (uri, revision) => {
      insertTombstone.run(uri, revision);
    },
    addAccount: (userId, deletedMs) => {
      insertDeletedAccount.run(userId, deletedMs);
    },
  };
}

/**
 * Copies the deletions since the last call, in a transaction of `to`. A replaced row gets a higher
 * rowid.
 */
export function deletionsCopier(from: DatabaseSync): (to: DatabaseSync) => void {
  const selectTombstones = from.prepare(
    "SELECT rowid AS row, uri, revision FROM tombstone WHERE rowid > ? ORDER BY rowid",
  );
  const selectDeletedAccounts = from.prepare(
    "SELECT rowid AS row, user_id, deleted_ms FROM deleted_account WHERE rowid > ? ORDER BY rowid",
  );
  let lastPost = 0;
  let lastAccount = 0;
  return (to) => {
    const deletions = deletionsIn(to);
    for (const { row, uri, revision } of selectTombstones.all(lastPost)) {
      deletions.addPost(String(uri), String(revision));
      lastPost = Number(row);
    }
    for (const { row, user_id, deleted_ms } of selectDeletedAccounts.all(lastAccount)) {
      deletions.addAccount(String(user_id), Number(deleted_ms));
      lastAccount = Number(row);
    }
  };
}
