import type { DatabaseSync } from "node:sqlite";
import { accountByHandle, accountById, fromAccount } from "@earshot/query/facets";
import { any, type PlanNode } from "@earshot/query/plan";
import { foldHandle } from "@earshot/query/text";
import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";

export type NamedAuthor = {
  platform: Platform;
  userId: string | null;
  handle: string | null;
};

/** Rejects ambiguous names, because callers may delete the posts. Errors: `wrong_use`. */
export function namedAuthor(
  catalog: DatabaseSync,
  name: string,
  platform: Platform | null,
): NamedAuthor {
  const handle = foldHandle(name);
  const id = name.toLowerCase();
  const isOnPlatform = (account: KnownAccount): boolean =>
    platform === null || account.platform === platform;
  const byId = accountsWith(catalog, "user_id", id).filter(isOnPlatform);
  const [first, ...others] =
    byId.length > 0 ? byId : accountsWith(catalog, "handle", handle).filter(isOnPlatform);
  if (first !== undefined && others.length > 0) throw ambiguousAuthor(name, [first, ...others]);
  if (first !== undefined) return { ...first, handle: byId.length > 0 ? null : handle };
  if (id.startsWith("did:")) return { platform: "bluesky", userId: id, handle: null };
  if (platform === null) throw unknownAuthor(name);
  return /^\d+$/.test(id)
    ? { platform, userId: id, handle: null }
    : { platform, userId: null, handle };
}

type KnownAccount = { platform: Platform; userId: string };

function accountsWith(
  catalog: DatabaseSync,
  column: "user_id" | "handle",
  value: string,
): KnownAccount[] {
  const accounts =
    column === "user_id" ? "UNION SELECT platform, user_id FROM account WHERE user_id = ?1" : "";
  return catalog
    .prepare(`SELECT DISTINCT platform, user_id FROM handle WHERE ${column} = ?1 ${accounts}`)
    .all(value)
    .map((row) => ({ platform: row.platform as Platform, userId: String(row.user_id) }));
}

function ambiguousAuthor(name: string, accounts: readonly KnownAccount[]): EarshotError {
  const ids = accounts.map(({ platform, userId }) => `${userId} (${platform})`).join(", ");
  return new EarshotError("wrong_use", `${name} is or was the handle of ${ids}`, {
    status: 400,
    hint: "use the account id, and --platform if the id exists on several platforms",
  });
}

function unknownAuthor(name: string): EarshotError {
  return new EarshotError("wrong_use", `unknown account ${name}`, {
    status: 400,
    hint: "use the account id, or add --platform to select only posts stored with this handle",
  });
}

export function authorPlan({ platform, userId, handle }: NamedAuthor): PlanNode {
  const keys = [
    ...(userId === null ? [] : [accountById(platform, userId)]),
    ...(handle === null ? [] : [accountByHandle(platform, handle)]),
  ];
  return any(
    keys.map((key) => ({
      kind: "terms",
      elements: [{ kind: "token", token: fromAccount(key) }],
    })),
  );
}
