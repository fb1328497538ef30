import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { type Database, openForWriting } from "../../db/open.ts";
import { insertAccount } from "../insert-account.ts";
import { limitOperations } from "../limit-operations.ts";
import { defaultLimits } from "../limits.ts";
import { sessionOperations } from "./operations.ts";
import { hashOfSecret, parseSessionToken } from "./session-token.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-"));
let database: Database;
beforeAll(() => {
  database = openForWriting(join(folder, "control.db"), controlMigrations);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const openStore = () =>
  createLocalStore(database, { ...limitOperations, ...sessionOperations(randomBytes) });

const nowMs = 1_700_000_000_000;
const idleMs = 3_600_000;

async function start(): Promise<{ accountId: string; id: string; secret: string }> {
  const accountId = insertAccount(database, { name: null, nowMs }, randomBytes);
  const { token } = await openStore().write("startSession", {
    accountId,
    way: "link",
    agent: "a test",
    addressGroup: "192.0.2.0/24",
    maxAgeMs: 10 * idleMs,
    maxPerAccount: 5,
    nowMs,
  });
  const parsed = parseSessionToken(token);
  if (parsed === null) throw new Error("the token is not whole");
  return { accountId, ...parsed };
}

async function admitted(id: string, secret: string, atMs = nowMs): Promise<unknown> {
  const { kind } = await openStore().inMemory("admitSession", {
    ...defaultLimits,
    elapsedMs: 0,
    nowMs: atMs,
    sessionId: id,
    secretHash: hashOfSecret(secret),
    idleMs,
    readOf: null,
    maxWaitMs: 0,
  });
  return kind;
}

test("the store holds no token, and only a hash of its secret", async () => {
  const { id, secret } = await start();
  const row = database.get("SELECT *, hex(token_hash) AS hash FROM session WHERE id = :id", { id });
  expect(JSON.stringify(row)).not.toContain(secret);
  expect(await admitted(id, secret)).toBe("admitted");
});

test("a session of an account that is suspended is none, though its row is still there", async () => {
  const { accountId, id, secret } = await start();
  database.run("UPDATE account SET suspended_ms = 1 WHERE id = :accountId", { accountId });
  expect(await admitted(id, secret)).toBe("none");
});

test("another secret of a session that lives is a copy; one of a session that is over is nothing", async () => {
  const { id } = await start();
  const other = "A".repeat(43);
  expect(await admitted(id, other)).toBe("stolen");
  expect(await admitted(id, other, nowMs + idleMs)).toBe("none");
  expect(await admitted("0".repeat(16), other)).toBe("none");
});

test("its last use is written once a minute at most", async () => {
  const { id } = await start();
  const used = async (atMs: number) => {
    await openStore().write("noteSessionUse", { sessionId: id, nowMs: atMs });
    return database.get<{ usedMs: number }>(
      "SELECT used_ms AS usedMs FROM session WHERE id = :id",
      {
        id,
      },
    )?.usedMs;
  };
  expect(await used(nowMs + 59_999)).toBe(nowMs);
  expect(await used(nowMs + 60_000)).toBe(nowMs + 60_000);
  expect(await used(nowMs)).toBe(nowMs + 60_000);
});

test("two pages that ask at once get one fresh secret between them", async () => {
  const { id, secret } = await start();
  const asked = {
    sessionId: id,
    secretHash: hashOfSecret(secret),
    rotationMs: idleMs,
    formerMs: 60_000,
    nowMs: nowMs + idleMs,
  };
  const store = openStore();
  const both = await Promise.all([
    store.write("rotateSession", asked),
    store.write("rotateSession", asked),
  ]);
  expect(both).toEqual([{ secret: expect.any(String), expiresMs: nowMs + 10 * idleMs }, null]);
});

test.each([
  "",
  "x",
  "0123456789abcdef",
  `0123456789abcdef.${"A".repeat(42)}`,
  `.${"A".repeat(43)}`,
])("%j is no token", (text) => {
  expect(parseSessionToken(text)).toBeNull();
});
