import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseApiKey } from "../../src/accounts/api-key.ts";
import { commandLineKeyOperations } from "../../src/accounts/keys/command-line-operations.ts";
import { defaultLimits } from "../../src/accounts/limits.ts";
import { createKeyRates, type RatedKey } from "../../src/accounts/rates.ts";
import { sharedLimitOperations } from "../../src/accounts/shared-limit-operations.ts";
import { migratePostgres } from "../../src/db/postgres/migrate.ts";
import { openPool, type Pool } from "../../src/db/postgres/pool.ts";
import { runOperation } from "../../src/db/postgres/run-operation.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";

let pool: Pool;

beforeAll(async () => {
  const { EARSHOT_DATABASE_URL: url = "" } = await databaseSettings();
  pool = openPool({ url, gateway: "test", connections: 2, timeoutMs: 5_000 });
  await migratePostgres(pool);
  await pool.unsafe(`
    CREATE TABLE test_time(us BIGINT NOT NULL);
    INSERT INTO test_time VALUES(0);
    CREATE OR REPLACE FUNCTION now_us() RETURNS BIGINT LANGUAGE sql VOLATILE AS 'SELECT us FROM test_time'`);
});
afterAll(() => pool.end());

const call = <Name extends keyof typeof sharedLimitOperations>(name: Name, args: unknown) =>
  runOperation(pool, sharedLimitOperations[name] as never, args);

const setTime = (ms: number) => pool.unsafe(`UPDATE test_time SET us = ${Math.round(ms * 1_000)}`);

const time = { elapsedMs: 0, nowMs: 0 };

type Step = { waitMs: number; who: "one" | "other"; isRefunded: boolean };

const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.nat(400), fc.nat(30_000)),
    who: fc.constantFrom<Step["who"]>("one", "other"),
    isRefunded: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

let cases = 0;

test("rates in PostgreSQL admit, reject and refund calls like the in-memory sliding logs, for keys that share a limit", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.record({ own: fc.integer({ min: 1, max: 5 }), shared: fc.integer({ min: 1, max: 6 }) }),
      async (taken, { own, shared }) => {
        cases += 1;
        const rates = createKeyRates();
        const makeKey = (who: Step["who"]): RatedKey => ({
          keyId: `${who}-${cases}`,
          requestsPerSecond: 3,
          submissionsPerMinute: own,
          account: {
            accountId: `account-${cases}`,
            requestsPerSecond: null,
            submissionsPerMinute: shared,
          },
        });
        let nowMs = 1_000_000;
        for (const { waitMs, who, isRefunded } of taken) {
          nowMs += waitMs;
          await setTime(nowMs);
          const key = makeKey(who);
          const expected = rates.takeSubmission(key, nowMs);
          const found = (await call("takeSubmission", { ...time, key })) as {
            allowed: boolean;
            retryAfterMs: number;
            countedMs: number;
            policies: unknown;
          };
          expect(found).toMatchObject({
            allowed: expected.allowed,
            retryAfterMs: expected.waitMs,
            policies: rates.state(key, nowMs),
          });
          if (!expected.allowed || !isRefunded) continue;
          rates.giveBackSubmission(key, nowMs);
          const { countedMs } = found;
          expect(await call("giveBackSubmission", { ...time, key, countedMs })).toEqual(
            rates.state(key, nowMs),
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});

test.each([
  { own: 3, shared: 100 },
  { own: 100, shared: 3 },
])(
  "a refunded search in PostgreSQL can be repeated under limits of $own and $shared",
  async (limits) => {
    const key: RatedKey = {
      keyId: `refunded-${limits.own}`,
      requestsPerSecond: 3,
      submissionsPerMinute: limits.own,
      account: {
        accountId: `refunding-${limits.own}`,
        requestsPerSecond: null,
        submissionsPerMinute: limits.shared,
      },
    };
    const takeSearch = async (nowMs: number) => {
      await setTime(nowMs);
      return (await call("takeSubmission", { ...time, key })) as {
        allowed: boolean;
        countedMs: number;
      };
    };
    for (const nowMs of [3_000_100, 3_000_200]) await takeSearch(nowMs);
    const { allowed, countedMs } = await takeSearch(3_000_300);
    expect(allowed).toBe(true);
    await call("giveBackSubmission", { ...time, key, countedMs });
    expect((await takeSearch(3_000_400)).allowed).toBe(true);
    expect((await takeSearch(3_000_500)).allowed).toBe(false);
  },
);

test("a high limit in PostgreSQL is never exceeded in any window, and expired calls make room for new ones", async () => {
  const key: RatedKey = { keyId: "high", requestsPerSecond: 3, submissionsPerMinute: 100 };
  const admitted: number[] = [];
  for (let nowMs = 2_000_000; nowMs < 2_000_000 + 150_000; nowMs += 331) {
    await setTime(nowMs);
    const { allowed } = (await call("takeSubmission", { ...time, key })) as { allowed: boolean };
    if (allowed) admitted.push(nowMs);
  }
  for (const startMs of admitted) {
    const within = admitted.filter((ms) => ms >= startMs && ms < startMs + 60_000);
    expect(within.length).toBeLessThanOrEqual(100);
  }
  expect(admitted.length).toBeGreaterThan(225);
});

test("an admitted submission's search is counted in the same call as its request, unless it must wait", async () => {
  const { token } = (await runOperation(
    pool,
    commandLineKeyOperations(randomBytes).createKey as never,
    {
      ...{ name: "one", accountName: null, nowMs: 0 },
      ...{ requestsPerSecond: null, submissionsPerMinute: null },
    },
  )) as { token: string };
  const key = parseApiKey(token);
  const request = {
    ...{ ...defaultLimits, requestsPerSecond: 2, submissionsPerMinute: 3, ...time },
    ...{ address: "203.0.113.8", keyId: key?.id, presentedHash: "any", isSubmission: true },
    keyHash: createHash("sha256")
      .update(key?.secret ?? "")
      .digest("base64"),
    ...{ resource: null, readOf: null, maxWaitMs: 0 },
  };
  const admitted: unknown[] = [];
  for (const nowMs of [4_000_000, 4_000_100, 4_000_200, 4_001_500, 4_003_000]) {
    await setTime(nowMs);
    admitted.push(await call("admit", request));
  }
  expect(admitted).toMatchObject([
    { kind: "admitted", policies: [{ remaining: 1 }, { remaining: 2 }] },
    { kind: "admitted", policies: [{ remaining: 0 }, { remaining: 1 }] },
    { kind: "refused", policies: [{ remaining: 0 }, { remaining: 1 }] },
    { kind: "admitted", policies: [{ remaining: 1 }, { remaining: 0 }] },
    { kind: "admitted", policies: [{ remaining: 1 }, { remaining: 0 }], searchMs: null },
  ]);
});

test("PostgreSQL blocks an address with too many wrong keys for a minute", async () => {
  const wrong = (secret: string, nowMs: number) => ({
    ...defaultLimits,
    failedKeysPerMinute: 3,
    elapsedMs: 0,
    nowMs,
    address: "203.0.113.7",
    keyId: "AAAAAAAA",
    keyHash: createHash("sha256").update(secret).digest("base64"),
    presentedHash: createHash("sha256").update(`Bearer ${secret}`).digest("base64"),
    resource: null,
    readOf: null,
    maxWaitMs: 0,
  });
  const kinds: string[] = [];
  for (const [secret, nowMs] of [
    ["a", 3_000_000],
    ["a", 3_001_000],
    ["b", 3_002_000],
    ["c", 3_003_000],
    ["d", 3_004_000],
    ["d", 3_059_999],
    ["d", 3_060_001],
  ] as const) {
    await setTime(nowMs);
    const { kind } = (await call("admit", wrong(secret, nowMs))) as { kind: string };
    kinds.push(kind);
  }
  expect(kinds).toEqual([
    ...["unknown", "unknown", "unknown", "unknown", "blocked", "blocked", "unknown"],
  ]);
});
