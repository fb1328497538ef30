import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalStore } from "../db/local-store.ts";
import { controlMigrations } from "../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../db/open.ts";
import { ensureSecrets } from "../db/settings.ts";
import { runNow } from "../db/statements.ts";
import { findClosedIdentity } from "./closed-identities.ts";
import { type AccountStore, accountStoreOperations } from "./store.ts";

let folder: string;
let database: SqliteDatabase;
let store: AccountStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  runNow(ensureSecrets(database.forOperations, randomBytes));
  store = createLocalStore(database, accountStoreOperations(randomBytes));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const ann = { provider: "github" as const, subject: "github.com/583231" };
const retentionMs = 1_000;

const signUp = (nowMs: number) =>
  store.write("signInIdentity", {
    agent: "a test",
    addressGroup: "192.0.2.0/24",
    method: "github",
    maxAgeMs: 1_000_000,
    maxPerAccount: 20,
    nowMs,
    previousSession: null,
    ...ann,
    login: "ann",
    isOperator: false,
  });

async function signUpAndDelete(
  nowMs: number,
  params: { retentionMs: number } = { retentionMs },
): Promise<void> {
  const signedIn = await signUp(nowMs);
  if (signedIn.kind !== "signed_in") throw new Error(signedIn.kind);
  const { accountId } = signedIn;
  database.run("UPDATE account SET requests_per_second = 7 WHERE id = :accountId", { accountId });
  await store.write("closeAccount", { accountId, actor: { accountId }, ...params, nowMs });
}

const closingsAt = (nowMs: number) =>
  runNow(findClosedIdentity(database.forOperations, ann, nowMs))?.closings ?? null;

test("remembered sign-in identities are keyed hashes, which another store cannot match", async () => {
  await signUpAndDelete(10);
  const [row] = database.all<Record<string, unknown>>("SELECT * FROM closed_identity");
  expect(row).toMatchObject({ requests_per_second: 7, submissions_per_minute: null });
  const hash = Buffer.from(row?.hash instanceof Uint8Array ? row.hash : []);
  expect(hash).toHaveLength(32);
  // Another store hashes the same identity differently.
  database.run("UPDATE setting SET value = :value WHERE name = 'cursor_key'", {
    value: randomBytes(32),
  });
  expect(closingsAt(11)).toBeNull();
});

test("a remembered sign-in identity expires, and the sweep deletes it", async () => {
  await signUpAndDelete(10);
  expect([closingsAt(1_009), closingsAt(1_010)]).toEqual([1, null]);
  await store.write("sweepSessions", { idleMs: 1, nowMs: 1_009 });
  expect(database.all("SELECT 1 FROM closed_identity")).toHaveLength(1);
  await store.write("sweepSessions", { idleMs: 1, nowMs: 1_010 });
  expect(database.all("SELECT 1 FROM closed_identity")).toEqual([]);
});

test("account deletions per identity are counted while it is remembered, and from zero after that", async () => {
  await signUpAndDelete(10);
  await signUpAndDelete(900);
  expect(closingsAt(901)).toBe(2);
  await signUpAndDelete(1_500);
  expect(closingsAt(1_501)).toBe(1);
});

test("a sign-up that is refused after repeated deletions is not audited", async () => {
  for (const nowMs of [10, 20, 30]) await signUpAndDelete(nowMs);
  const auditCount = () => database.get("SELECT count(*) AS notes FROM audit");
  const before = auditCount();
  for (const nowMs of [40, 50]) expect(await signUp(nowMs)).toEqual({ kind: "too_many" });
  expect(auditCount()).toEqual(before);
});

test("no identity is remembered if the setting disables it", async () => {
  for (const nowMs of [10, 20, 30, 40]) await signUpAndDelete(nowMs, { retentionMs: 0 });
  expect(database.all("SELECT 1 FROM closed_identity")).toEqual([]);
});
