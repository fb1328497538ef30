import type { DatabaseSync } from "node:sqlite";
import type { FetchedName } from "../archive.ts";
import type { CatalogAccounts } from "./accounts.ts";
import type { CatalogLabels } from "./labels.ts";
import { moderationOf } from "./moderation.ts";

export function withheldOf(
  catalog: DatabaseSync,
  accounts: CatalogAccounts,
  labels: CatalogLabels,
): (names: readonly FetchedName[]) => boolean[] {
  const selectTombstone = catalog.prepare("SELECT 1 FROM tombstone WHERE platform = ? AND uri = ?");
  const isWithheld = ({ platform, uri, userId }: FetchedName): boolean => {
    if (uri !== null && selectTombstone.get(platform, uri) !== undefined) return true;
    const account = userId?.toLowerCase() ?? null;
    return moderationOf({ platform, uri: uri ?? "", userId: account }, accounts, labels).hidden;
  };
  return (names) => names.map(isWithheld);
}
