import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { type KnownAccount, renderRecord } from "../../posts/record.ts";
import type { openCatalogAccounts } from "../catalog/accounts.ts";
import { currentHandleReader } from "../catalog/catalog.ts";
import type { RenderRow } from "./json-pages.ts";

/** Renders records with accounts' current handles and names, each read once per renderer. */
export function rowRenderer(
  catalog: DatabaseSync,
  accounts: Pick<ReturnType<typeof openCatalogAccounts>, "read">,
): () => RenderRow {
  const handleOf = currentHandleReader(catalog);

  const readAccount = (platform: Platform, userId: string): KnownAccount => ({
    handle: handleOf(platform, userId),
    name: accounts.read(platform, userId)?.name ?? null,
  });

  return () => {
    const accountsRead = new Map<string, KnownAccount>();
    return (row) => {
      let dependsOnRowOnly = true;
      const text = renderRecord(row, (userId) => {
        dependsOnRowOnly = false;
        const key = `${row.platform} ${userId}`;
        const account = accountsRead.get(key) ?? readAccount(row.platform, userId.toLowerCase());
        accountsRead.set(key, account);
        return account;
      });
      return { text, dependsOnRowOnly };
    };
  };
}
