import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../../testkit/service/accounts.ts";
import type { NewKey } from "./command-line-operations.ts";

let accounts: TestAccounts;
let store: TestAccounts["store"];

beforeEach(() => {
  accounts = createTestAccounts();
  store = accounts.store;
});

afterEach(() => accounts.remove());

const byCommand = { actor: "command_line", nowMs: 6 } as const;

const newKey: NewKey = {
  name: "laptop",
  accountName: null,
  requestsPerSecond: null,
  submissionsPerMinute: 1_000_000,
  nowMs: 5,
};

test("the store does not contain the secret of a key", async () => {
  const { token } = await store.write("createKey", newKey);
  const rows = accounts.database.all("SELECT *, hex(secret_hash) AS hash FROM api_key");
  expect(JSON.stringify(rows)).not.toContain(token.slice(13, 45));
});

test("revoking a key is idempotent", async () => {
  const { id } = await store.write("createKey", newKey);
  await store.write("revokeKey", { id, ...byCommand });
  await store.write("revokeKey", { id, ...byCommand });
  expect(await store.read("listKeys", null)).toMatchObject([{ id, revoked: true }]);
});

test("an unknown key cannot be revoked", async () => {
  await expect(store.write("revokeKey", { id: "nobody00", ...byCommand })).rejects.toMatchObject({
    code: "key_not_found",
  });
});

test("each key that the command line creates gets its own account unless one is named", async () => {
  const alone = await store.write("createKey", newKey);
  const second = await store.write("createKey", newKey);
  const named = await store.write("createKey", { ...newKey, accountName: "newsroom" });
  const joined = await store.write("createKey", { ...newKey, accountName: "newsroom" });
  expect(new Set([alone.accountId, second.accountId, named.accountId]).size).toBe(3);
  expect(joined.accountId).toBe(named.accountId);
});

test("a new key is added to an account given by id or login, and an unknown login does not create an account", async () => {
  const named = await store.write("createKey", { ...newKey, accountName: "newsroom" });
  const byId = await store.write("createKey", { ...newKey, accountName: named.accountId });
  expect(byId.accountId).toBe(named.accountId);
  accounts.database.run(
    `INSERT INTO identity(provider, subject, account_id, login, created_ms, seen_ms)
     VALUES('github', '1', :accountId, 'Ann', 1, 1)`,
    { accountId: named.accountId },
  );
  const byLogin = await store.write("createKey", { ...newKey, accountName: "github:ann" });
  expect(byLogin.accountId).toBe(named.accountId);
  const bareLogin = store.write("createKey", { ...newKey, accountName: "ann" });
  await expect(bareLogin).rejects.toMatchObject({
    code: "account_not_found",
    hint: "use the login with its provider: github:ann",
  });
  const unknownLogin = store.write("createKey", { ...newKey, accountName: "github:zoe" });
  await expect(unknownLogin).rejects.toMatchObject({ code: "account_not_found" });
});

test("an account can have at most five keys, and revoking one makes room for another", async () => {
  const newsroom = { ...newKey, accountName: "newsroom" };
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => store.write("createKey", newsroom)),
  );
  const refusal = { code: "too_many_keys" };
  await expect(store.write("createKey", newsroom)).rejects.toMatchObject(refusal);
  await store.write("revokeKey", { id: keys[0]?.id ?? "", ...byCommand });
  await store.write("createKey", newsroom);
  await expect(store.write("createKey", newsroom)).rejects.toMatchObject(refusal);
});

test("the list of keys contains every field except the secret", async () => {
  const { id, accountId } = await store.write("createKey", { ...newKey, accountName: "newsroom" });
  expect(await store.read("listKeys", null)).toEqual([
    {
      id,
      name: "laptop",
      accountId,
      accountName: "newsroom",
      requestsPerSecond: null,
      submissionsPerMinute: 1_000_000,
      methods: null,
      createdMs: 5,
      expiresMs: null,
      usedMs: null,
      usedFrom: null,
      successorId: null,
      revokedMs: null,
      revoked: false,
    },
  ]);
});

test("keys of all accounts can be searched by name, id or account, newest first", async () => {
  const laptop = await store.write("createKey", { ...newKey, accountName: "newsroom" });
  const robot = await store.write("createKey", { ...newKey, name: "100%_bot", nowMs: 9 });
  const allKeys = { accountId: null, after: null, limit: 10 };
  const queryIds = async (query: string | null) =>
    (await store.read("findKeys", { query, ...allKeys })).map(({ id }) => id);
  expect(await queryIds(null)).toEqual([robot.id, laptop.id]);
  expect(await queryIds("newsr")).toEqual([laptop.id]);
  expect(await queryIds("0%_b")).toEqual([robot.id]);
  expect(await queryIds(laptop.id)).toEqual([laptop.id]);
  expect(await queryIds("_")).toEqual([robot.id]);
  const { accountId } = laptop;
  const ofAccount = await store.read("findKeys", { query: null, ...allKeys, accountId });
  expect(ofAccount.map(({ id }) => id)).toEqual([laptop.id]);
  const after = { createdMs: 9, id: robot.id };
  const nextKeys = await store.read("findKeys", { query: null, ...allKeys, after });
  expect(nextKeys.map(({ id }) => id)).toEqual([laptop.id]);
});

test("hasLiveKey ignores expired and revoked keys", async () => {
  const hasLive = (nowMs: number) => store.read("hasLiveKey", { nowMs });
  expect(await hasLive(5)).toBe(false);
  const { id } = await store.write("createKey", { ...newKey, expiresMs: 10 });
  expect([await hasLive(9), await hasLive(10)]).toEqual([true, false]);
  await store.write("revokeKey", { id, ...byCommand });
  expect(await hasLive(9)).toBe(false);
});
