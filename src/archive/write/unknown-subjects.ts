import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { isAccountId } from "../catalog/moderation.ts";
import { postWithId } from "./aliases.ts";
import { findPost } from "./find-post.ts";
import type { WriteContext } from "./write-context.ts";

const retentionMs = 30 * 86_400_000;
const handlesPerCall = 5_000;
const labelsPerCall = 500;
const aliasesPerCall = 500;

/**
 * Networks report handles of accounts that never post, and labels of posts that never arrive. Both
 * are removed after a month; aliases of posts that are not stored are removed at any age.
 */
export type UnknownSubjects = {
  /** Checks the next rows of each table, starting over at its end. */
  removeSome(nowMs: number): void;
};

export function createUnknownSubjects(context: WriteContext): UnknownSubjects {
  const removeHandles = rowRemover(
    context.catalog,
    "handle",
    ["platform", "user_id", "handle"],
    handlesPerCall,
  );
  const removeLabels = rowRemover(
    context.catalog,
    "label",
    ["platform", "subject", "source", "value"],
    labelsPerCall,
  );
  const removeAliases = rowRemover(context.catalog, "alias", ["platform", "hash"], aliasesPerCall);
  const isStored = (platform: Platform, uri: string): boolean =>
    findPost(context, context.writers.entries(platform), platform, uri) !== null;
  const isKnown = (platform: Platform, userId: string): boolean =>
    context.accounts.read(platform, userId) !== null;

  return {
    removeSome: (nowMs) => {
      const beforeMs = nowMs - retentionMs;
      removeHandles(({ platform, user_id, observed_ms }) => {
        const isOld = Number(observed_ms) > 0 && Number(observed_ms) < beforeMs;
        return isOld && !isKnown(platform as Platform, String(user_id));
      });
      removeLabels(({ platform, subject, created_ms }) => {
        if (Number(created_ms) >= beforeMs || isAccountId(String(subject))) return false;
        return !isStored(platform as Platform, String(subject));
      });
      removeAliases(
        ({ platform, id }) =>
          postWithId(context, platform as Platform, BigInt(String(id))) === null,
      );
    },
  };
}

type Row = Record<string, unknown>;

function rowRemover(
  catalog: DatabaseSync,
  table: string,
  keyColumns: readonly string[],
  rowsPerCall: number,
): (shouldRemove: (row: Row) => boolean) => void {
  const columns = keyColumns.join(", ");
  const placeholders = keyColumns.map(() => "?").join(", ");
  const selectPage = catalog.prepare(
    `SELECT * FROM ${table} WHERE (${columns}) > (${placeholders}) ORDER BY ${columns} LIMIT ?`,
  );
  selectPage.setReadBigInts(true);
  const deleteRow = catalog.prepare(
    `DELETE FROM ${table} WHERE ${keyColumns.map((column) => `${column} = ?`).join(" AND ")}`,
  );
  const start = keyColumns.map(() => "");
  let after = start;
  return (shouldRemove) => {
    const rows = selectPage.all(...after, rowsPerCall);
    const rowKey = (row: Row): string[] => keyColumns.map((column) => String(row[column]));
    for (const row of rows) if (shouldRemove(row)) deleteRow.run(...rowKey(row));
    const last = rows.at(-1);
    after = last === undefined || rows.length < rowsPerCall ? start : rowKey(last);
  };
}
