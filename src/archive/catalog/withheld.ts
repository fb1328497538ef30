import type { DatabaseSync } from "node:sqlite";
import type { FetchedName } from "../archive.ts";
import type { CatalogAccounts } from "./accounts.ts";
import type { CatalogLabels } from "./labels.ts";
import { findModeration } from "./moderation.ts";

export function createWithheldCheck(
  catalog: DatabaseSync,
  accounts: CatalogAccounts,
  labels: CatalogLabels,
): (names: readonly FetchedName[]) => boolean[] {
  const selectTombstone = catalog.prepare("SELECT 1 FROM tombstone WHERE platform = ? AND uri = ?");
  const isWithheld = ({ platform, uri, userId }: FetchedName): boolean => {
    if (uri !== null && selectTombstone.get(platform, uri) !== undefined) return true;
    const account = userId?.toLowerCase() ?? null;
    return findModeration({ platform, uri: uri ?? "", userId: account }, accounts, labels).hidden;
  };
  return (names) => names.map(isWithheld);
}
