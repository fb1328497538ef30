import type { DatabaseSync } from "node:sqlite";
import type { QueryNames, ResolvedNames } from "@earshot/query/plan";
import { platforms } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { blueskyUri, postKey, readNamedPost } from "../../posts/references.ts";
import { accountIds, resolveAccount } from "../catalog/catalog.ts";
import type { StoredRows } from "./stored-rows.ts";

export function nameResolver(
  catalog: DatabaseSync,
  readRows: StoredRows["readRows"],
): (names: QueryNames, isSliceOver: () => boolean) => Generator<void, ResolvedNames> {
  /**
   * A number may be an X post's native ID or any stored post's ID. A handle means every account
   * that ever had it.
   */
  function resolvePost(name: string): string[] {
    const { number, keys, bluesky } = readNamedPost(name);
    const stored =
      number === null
        ? []
        : readRows(platforms.map((platform) => ({ id: number, platform }))).rows.map((row) =>
            postKey(row.platform, { id: null, uri: recordUri(row) }),
          );
    const linked =
      bluesky === null
        ? []
        : accountIds(catalog, "bluesky", bluesky.handle).map((did) =>
            postKey("bluesky", { id: null, uri: blueskyUri(did, bluesky.key) }),
          );
    return [...new Set([...keys, ...stored, ...linked])].filter((key) => key !== null);
  }

  return function* (names, isSliceOver) {
    const resolved = {
      accounts: new Map<string, string[]>(),
      posts: new Map<string, string[]>(),
    };
    for (const name of names.accounts) {
      resolved.accounts.set(name, resolveAccount(catalog, name));
      if (isSliceOver()) yield;
    }
    for (const name of names.posts) {
      resolved.posts.set(name, resolvePost(name));
      if (isSliceOver()) yield;
    }
    return resolved;
  };
}
