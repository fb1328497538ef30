import { createHash, randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseApiKey } from "../../src/accounts/api-key.ts";
import { commandLineKeyOperations } from "../../src/accounts/keys/command-line-operations.ts";
import type { AdmissionOutcome } from "../../src/accounts/limit-operations.ts";
import { defaultLimits } from "../../src/accounts/limits.ts";
import { createKeyRates } from "../../src/accounts/rates.ts";
import { migratePostgres } from "../../src/db/postgres/migrate.ts";
import { openPool, type Pool } from "../../src/db/postgres/pool.ts";
import { runOperation } from "../../src/db/postgres/run-operation.ts";
import type {
  InsertedJob,
  JobInsertion,
} from "../../src/jobs/submissions/submission-operations.ts";
import { databaseOperations } from "../../src/server/control/control-database.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";

/** Calls that wait for an earlier call are sent as one statement. */
let pool: Pool;

beforeAll(async () => {
  const { EARSHOT_DATABASE_URL: url = "" } = await databaseSettings();
  pool = openPool({ url, gateway: "test", connections: 2, timeoutMs: 5_000 });
  await migratePostgres(pool);
});
afterAll(() => pool.end());

const call = <Value>(name: keyof typeof databaseOperations, args: unknown) =>
  runOperation(pool, databaseOperations[name] as never, args) as Promise<Value>;

async function makeKey(requestsPerSecond: number, submissionsPerMinute: number) {
  const { token } = await runOperation(
    pool,
    commandLineKeyOperations(randomBytes).createKey as never,
    {
      ...{ name: "key", accountName: null, nowMs: 0 },
      ...{ requestsPerSecond, submissionsPerMinute },
    },
  ).then((made) => made as { token: string });
  const parsed = parseApiKey(token);
  return { id: parsed?.id ?? "", secret: parsed?.secret ?? "" };
}

const computeHash = (secret: string) => createHash("sha256").update(secret).digest("base64");

type Admitted = { key: number; isSubmission: boolean; isWrong: boolean };

const groups = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.nat(400), fc.nat(30_000)),
    calls: fc.array(
      fc.record<Admitted>({
        key: fc.nat(3),
        isSubmission: fc.boolean(),
        isWrong: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

test("PostgreSQL admits as many concurrent requests as the in-memory sliding logs do", async () => {
  await pool.unsafe(`
    CREATE TABLE test_time(us BIGINT NOT NULL);
    INSERT INTO test_time VALUES(0);
    CREATE OR REPLACE FUNCTION now_us() RETURNS BIGINT LANGUAGE sql VOLATILE AS 'SELECT us FROM test_time'`);
  await fc.assert(
    fc.asyncProperty(groups, async (steps) => {
      const rates = createKeyRates();
      const limits = [
        ...[{ requestsPerSecond: 3, submissionsPerMinute: 10 }],
        ...[{ requestsPerSecond: 1, submissionsPerMinute: 2 }],
        ...[{ requestsPerSecond: 5, submissionsPerMinute: 3 }],
        ...[{ requestsPerSecond: 2, submissionsPerMinute: 1 }],
      ];
      const keys = await Promise.all(
        limits.map(async (limit) => ({
          ...(await makeKey(limit.requestsPerSecond, limit.submissionsPerMinute)),
          ...limit,
        })),
      );
      let nowMs = 1_000_000;
      for (const { waitMs, calls } of steps) {
        nowMs += waitMs;
        await pool.unsafe(`UPDATE test_time SET us = ${nowMs * 1_000}`);
        const answers = await Promise.all(
          calls.map(({ key, isSubmission, isWrong }) => {
            const { id, secret } = keys[key] ?? { id: "", secret: "" };
            return call<AdmissionOutcome>("admit", {
              ...{ ...defaultLimits, failedKeysPerMinute: 1_000, elapsedMs: 0, nowMs },
              ...{ address: "203.0.113.9", keyId: id, presentedHash: "any", isSubmission },
              ...{ keyHash: computeHash(isWrong ? "wrong" : secret), resource: null, readOf: null },
              maxWaitMs: 0,
            });
          }),
        );
        for (const [index, { id, ...limit }] of keys.entries()) {
          const rated = { keyId: id, ...limit };
          const own = [...calls.entries()].filter(([, each]) => each.key === index);
          const found = own.map(([time]) => answers[time]);
          const good = own.filter(([, { isWrong }]) => !isWrong);
          const admitted = good.filter(() => rates.takeRequest(rated, 0, nowMs).allowed);
          expect(found.filter((each) => each?.kind === "unknown")).toHaveLength(
            own.length - good.length,
          );
          expect(found.filter((each) => each?.kind === "admitted")).toHaveLength(admitted.length);
          const searches = found.filter((each) => each?.kind === "admitted" && each.searchMs);
          const isOfSubmission = own.filter(
            ([time, each]) => each.isSubmission && answers[time]?.kind === "admitted",
          );
          const taken = isOfSubmission.filter(() => rates.takeSubmission(rated, nowMs).allowed);
          expect(searches).toHaveLength(taken.length);
          expect(await call("limitState", { elapsedMs: 0, nowMs, key: rated })).toEqual(
            rates.state(rated, nowMs),
          );
        }
      }
    }),
    { numRuns: 25 },
  );
});

const insertion = (
  accountId: string,
  canonicalQuery: string,
  uuid = randomUUID(),
): JobInsertion => ({
  ...{ uuid, accountId, keyId: "key", request: "{}", canonicalQuery, warnings: "[]" },
  ...{ submittedMs: 1.5, deadlineMs: 2, idempotency: null },
  answer: {
    ...{ node: "node", startedMs: 1, finishedMs: 2, expiresMs: 3.25, result: "{}", fetched: [] },
  },
});

const isInserted = (outcome: PromiseSettledResult<InsertedJob>): boolean =>
  outcome.status === "fulfilled" && !outcome.value.isRepeated;

test("concurrent jobs are numbered per account, and one that fails does not affect others", async () => {
  for (const account of ["one", "two", "suspended"]) {
    await pool.unsafe("INSERT INTO account(id, created_ms, suspended_ms) VALUES($1, 0, $2)", [
      ...[account, account === "suspended" ? 1 : (null as never)],
    ]);
  }
  const query = 'quoted "NUL \0" and half \ud83d of a pair';
  const repeated = randomUUID();
  const accounts = ["one", "two", "one", "suspended", "two", "one", "one", "two"];
  const jobs = [
    ...accounts.map((account) => insertion(account, query)),
    ...[insertion("one", query, repeated), insertion("two", query, repeated)],
  ];
  const outcomes = await Promise.allSettled(jobs.map((job) => call<InsertedJob>("insertJob", job)));
  expect(outcomes.map(isInserted).filter(Boolean)).toHaveLength(8);
  expect(outcomes[3]).toMatchObject({ reason: { code: "account_suspended" } });
  const rows = await pool.unsafe<
    { account: string; change: number; last: number; query: string; expires: number }[]
  >(
    `SELECT account_id AS account, change, last_change AS last, canonical_query AS query, expires_ms AS expires
     FROM job JOIN account ON account.id = account_id ORDER BY account_id, change`,
  );
  expect(rows).toHaveLength(8);
  for (const account of ["one", "two"]) {
    const own = rows.filter((row) => row.account === account);
    expect(own.map(({ change }) => change)).toEqual(own.map((_row, index) => index + 1));
    expect(own.at(-1)?.last).toBe(own.length);
  }
  expect(new Set(rows.map((row) => row.query))).toEqual(
    new Set(['quoted "NUL \u{fffd}" and half \u{fffd} of a pair']),
  );
  expect(rows[0]?.expires).toBe(3);
});

test("concurrent jobs of accounts with webhooks get deliveries, and those of others do not", async () => {
  await pool.unsafe(`
    INSERT INTO account(id, created_ms) VALUES('watched', 0);
    INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
      VALUES('hook', 'watched', 'https://example.com', '["job.done"]', '', 0)`);
  const inserted = await Promise.all(
    ["one", "watched", "two", "watched"].map((account) =>
      call<InsertedJob>("insertJob", insertion(account, "comet")),
    ),
  );
  expect(inserted.map((job) => !job.isRepeated && job.hasDeliveries)).toEqual([
    ...[false, true, false, true],
  ]);
});
