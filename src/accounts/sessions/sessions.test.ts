import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLocalStore } from "../../db/local-store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import { runNow } from "../../db/statements.ts";
import { insertAccount } from "../insert-account.ts";
import { limitOperations } from "../limit-operations.ts";
import { defaultLimits } from "../limits.ts";
import { sessionOperations } from "./operations.ts";
import { createSessionTokens, nextToken, type SessionToken } from "./session-token.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-"));
let database: SqliteDatabase;
beforeAll(() => {
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const openStore = () =>
  createLocalStore(database, { ...limitOperations, ...sessionOperations(randomBytes) });

const nowMs = 1_700_000_000_000;
const idleMs = 3_600_000;
const gracePeriodMs = 60_000;

const tokens = createSessionTokens(randomBytes(32));
const here = { agent: "a test", addressGroup: "192.0.2.0/24" };
const otherClient = { agent: "a test", addressGroup: "198.51.100.0/24" };

async function start(): Promise<{ accountId: string; id: string; token: SessionToken }> {
  const accountId = runNow(
    insertAccount(database.forOperations, { name: null, nowMs }, randomBytes),
  );
  const { id, token } = await openStore().write("startSession", {
    ...here,
    accountId,
    method: "link",
    maxAgeMs: 10 * idleMs,
    maxPerAccount: 5,
    nowMs,
  });
  return { accountId, id, token };
}

async function admissionKind(token: SessionToken, atMs = nowMs): Promise<string> {
  const presented = tokens.parse(tokens.print(token));
  if (presented === null) return "no token";
  const { id: sessionId, generation, clientHash } = presented;
  const outcome = await openStore().inMemory("admitSession", {
    ...defaultLimits,
    elapsedMs: 0,
    nowMs: atMs,
    sessionId,
    generation,
    clientHash,
    idleMs,
    readOf: null,
    maxWaitMs: 0,
  });
  if ("note" in outcome && outcome.note === "first_use") {
    const formerUntilMs = atMs + gracePeriodMs;
    const advanceRequest = { sessionId, generation, clientHash, formerUntilMs, nowMs: atMs };
    await openStore().write("advanceSession", advanceRequest);
  }
  return outcome.kind;
}

test("the store does not contain what is needed to forge a session token", async () => {
  const { id, token } = await start();
  const row = database.get("SELECT * FROM session WHERE id = :id", { id });
  expect(JSON.stringify(row)).not.toContain(token.handle);
  expect(await admissionKind(token)).toBe("admitted");
  expect(tokens.parse(tokens.print({ ...token, handle: id }))?.id).not.toBe(id);
  const otherTokens = createSessionTokens(randomBytes(32));
  expect(tokens.parse(otherTokens.print(token))).toBeNull();
});

test("a session of a suspended account is invalid even while its row exists", async () => {
  const { accountId, token } = await start();
  database.run("UPDATE account SET suspended_ms = 1 WHERE id = :accountId", { accountId });
  expect(await admissionKind(token)).toBe("none");
});

test("a session token with a forged signature or generation is invalid and does not end the session", async () => {
  const { token } = await start();
  const text = tokens.print(token);
  for (const forged of [`${text.slice(0, -43)}${"A".repeat(43)}`, text.replace(".1.", ".2.")]) {
    expect(tokens.parse(forged)).toBeNull();
  }
  expect(await admissionKind(token)).toBe("admitted");
});

test("the same client gets the same next session token, regardless of when it requests it again", async () => {
  const { token } = await start();
  const earlyToken = nextToken(token, here);
  expect(await admissionKind(token, nowMs + 61_000)).toBe("admitted");
  const lateToken = nextToken(token, here);
  expect(await admissionKind(lateToken, nowMs + 61_000)).toBe("admitted");
  expect(await admissionKind(earlyToken, nowMs + 300_000)).toBe("admitted");
});

test("a replaced session token is valid during the grace period, and treated as stolen after it", async () => {
  const { token } = await start();
  const next = nextToken(token, here);
  expect(await admissionKind(token, nowMs + idleMs - 1)).toBe("admitted");
  expect(await admissionKind(next)).toBe("admitted");
  expect(await admissionKind(token, nowMs + gracePeriodMs - 1)).toBe("admitted");
  expect(await admissionKind(token, nowMs + gracePeriodMs)).toBe("stolen");
});

test("two clients that request the next token with the same cookie get different tokens, one of which is treated as stolen", async () => {
  const { token } = await start();
  const [theirs, mine] = [nextToken(token, otherClient), nextToken(token, here)];
  expect(await admissionKind(theirs)).toBe("admitted");
  expect(await admissionKind(mine, nowMs + gracePeriodMs)).toBe("stolen");
});

test("a store restored from a backup accepts newer session tokens without reporting theft", async () => {
  const { id, token } = await start();
  const second = nextToken(token, here);
  const third = nextToken(second, here);
  expect(await admissionKind(third)).toBe("admitted");
  const row = database.get<{ generation: number }>(
    "SELECT generation FROM session WHERE id = :id",
    { id },
  );
  expect(row?.generation).toBe(3);
  expect(await admissionKind(second, nowMs + gracePeriodMs)).toBe("stolen");
});

test("the caller of an admitted session request includes the session's id", async () => {
  const { id, token } = await start();
  const outcome = await openStore().inMemory("admitSession", {
    ...defaultLimits,
    elapsedMs: 0,
    nowMs,
    sessionId: id,
    generation: token.generation,
    clientHash: token.clientHash,
    idleMs,
    readOf: null,
    maxWaitMs: 0,
  });
  expect(outcome).toMatchObject({ kind: "admitted", caller: { sessionId: id } });
});

test("an idle or unknown session is invalid", async () => {
  const { token } = await start();
  expect(await admissionKind(token, nowMs + idleMs)).toBe("none");
  expect(await admissionKind({ ...token, handle: "0".repeat(22) })).toBe("none");
});

test("the last use of a session is written at most once a minute", async () => {
  const { id } = await start();
  const recordUse = async (atMs: number) => {
    await openStore().write("recordSessionUse", { sessionId: id, nowMs: atMs });
    return database.get<{ usedMs: number }>(
      "SELECT used_ms AS usedMs FROM session WHERE id = :id",
      {
        id,
      },
    )?.usedMs;
  };
  expect(await recordUse(nowMs + 59_999)).toBe(nowMs);
  expect(await recordUse(nowMs + 60_000)).toBe(nowMs + 60_000);
  expect(await recordUse(nowMs)).toBe(nowMs + 60_000);
});

test.each([
  "",
  "x",
  "0123456789abcdefghijkl",
  `0123456789abcdefghijkl.1.--------.${"A".repeat(42)}`,
  `0123456789abcdefghijkl.0.--------.${"A".repeat(43)}`,
  `.1.--------.${"A".repeat(43)}`,
])("%j is not a session token", (text) => {
  expect(tokens.parse(text)).toBeNull();
});
