import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalStore } from "../db/local-store.ts";
import { controlMigrations } from "../db/migrations/control.ts";
import { type Database, openForWriting } from "../db/open.ts";
import type { Store } from "../db/operations.ts";
import { type AccountOperations, accountOperations, type NewKey } from "./operations.ts";

let folder: string;
let database: Database;
let store: Store<AccountOperations>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openForWriting(join(folder, "control.db"), controlMigrations);
  store = createLocalStore(database, accountOperations(randomBytes));
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const asked: NewKey = {
  name: "laptop",
  accountName: null,
  requestsPerSecond: null,
  submissionsPerMinute: 1_000_000,
  nowMs: 5,
};

test("the store holds no secret", async () => {
  const { token } = await store.write("createKey", asked);
  const rows = database.all("SELECT *, hex(secret_hash) AS hash FROM api_key");
  expect(JSON.stringify(rows)).not.toContain(token.slice(13, 45));
});

test("revoking again changes nothing", async () => {
  const { id } = await store.write("createKey", asked);
  await store.write("revokeKey", { id });
  await store.write("revokeKey", { id });
  expect(await store.read("listKeys", null)).toMatchObject([{ id, revoked: true }]);
});

test("an unknown key cannot be revoked", async () => {
  await expect(store.write("revokeKey", { id: "nobody00" })).rejects.toMatchObject({
    code: "unknown_key",
  });
});

test("each key is an account of its own unless a name says which", async () => {
  const alone = await store.write("createKey", asked);
  const second = await store.write("createKey", asked);
  const named = await store.write("createKey", { ...asked, accountName: "newsroom" });
  const joined = await store.write("createKey", { ...asked, accountName: "newsroom" });
  expect(new Set([alone.accountId, second.accountId, named.accountId]).size).toBe(3);
  expect(joined.accountId).toBe(named.accountId);
});

test("an account has five keys; a revoked one makes room", async () => {
  const newsroom = { ...asked, accountName: "newsroom" };
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => store.write("createKey", newsroom)),
  );
  const refusal = { code: "too_many_keys" };
  await expect(store.write("createKey", newsroom)).rejects.toMatchObject(refusal);
  await store.write("revokeKey", { id: keys[0]?.id ?? "" });
  await store.write("createKey", newsroom);
  await expect(store.write("createKey", newsroom)).rejects.toMatchObject(refusal);
});

test("the list tells everything but the secret", async () => {
  const { id, accountId } = await store.write("createKey", { ...asked, accountName: "newsroom" });
  expect(await store.read("listKeys", null)).toEqual([
    {
      id,
      name: "laptop",
      accountId,
      accountName: "newsroom",
      requestsPerSecond: null,
      submissionsPerMinute: 1_000_000,
      createdMs: 5,
      revoked: false,
    },
  ]);
});
