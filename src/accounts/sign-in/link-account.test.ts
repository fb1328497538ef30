import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import { runNow } from "../../db/statements.ts";
import { insertAccount } from "../insert-account.ts";
import { hashTokenSecret } from "../sessions/session-token.ts";
import { type AccountStore, accountStoreOperations } from "../store.ts";

let folder: string;
let database: SqliteDatabase;
let store: AccountStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  store = createLocalStore(database, accountStoreOperations(randomBytes));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

async function signInWithLink(): Promise<string> {
  const request = { accountId: null, actor: "command_line" as const, nowMs: 1, expiresMs: 100 };
  const token = await store.write("makeSignInLink", request);
  const signedIn = await store.write("signInWithLink", {
    agent: "a test",
    addressGroup: "127.0.0.1",
    method: "link",
    maxAgeMs: 1_000,
    maxPerAccount: 20,
    nowMs: 2,
    previousSession: null,
    hash: hashTokenSecret(token),
  });
  if (signedIn?.kind !== "signed_in") throw new Error("the link does not sign in");
  return signedIn.accountId;
}

test("sign-in links without an account always sign in to the same account, never to another one named operator", async () => {
  const namesake = runNow(
    insertAccount(database.forOperations, { name: "operator", nowMs: 1 }, randomBytes),
  );
  const accountId = await signInWithLink();
  expect(accountId).not.toBe(namesake);
  expect(await signInWithLink()).toBe(accountId);
  const roles = database.all("SELECT role FROM account WHERE id = :namesake", { namesake });
  expect(roles).toEqual([{ role: "member" }]);
});

test("the account that sign-in links use is named operator, and is created again after a deletion", async () => {
  const accountId = await signInWithLink();
  expect(await store.read("resolveAccount", { account: "operator" })).toBe(accountId);
  database.run("UPDATE account SET role = 'member' WHERE id = :accountId", { accountId });
  await store.write("closeAccount", { accountId, actor: "command_line", nowMs: 3 });
  expect(database.all("SELECT 1 FROM account WHERE is_links_account = 1")).toEqual([]);
  expect(await signInWithLink()).not.toBe(accountId);
});
