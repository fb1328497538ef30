import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageRow } from "../../src/accounts/usage/operations.ts";
import { openPool, type Pool } from "../../src/db/postgres/pool.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

let service: ServiceUnderTest;
let other: ServiceUnderTest;
let pool: Pool;

beforeAll(async () => {
  const settings = await databaseSettings();
  service = await startServiceUnderTest(settings);
  other = await startServiceUnderTest(settings);
  pool = openConnections(settings);
});

function openConnections({ EARSHOT_DATABASE_URL: url = "" }: Record<string, string>): Pool {
  return openPool({ url, gateway: "test", connections: 4, timeoutMs: 5_000 });
}
afterAll(async () => {
  await pool?.end();
  await other?.remove();
  await service?.remove();
});

async function newAccount(): Promise<{ key: string; accountId: string }> {
  const key = await service.makeKey({ requestsPerSecond: 100, submissionsPerMinute: 100 });
  const [row] = await pool.unsafe<{ account_id: string }[]>(
    "SELECT account_id FROM api_key WHERE id = $1",
    [key.split("_")[1] ?? ""],
  );
  return { key, accountId: row?.account_id ?? "" };
}

const makeUsage = (accountId: string, latencies = ""): UsageRow => ({
  ...{ accountId, bucketMs: 0, keyId: "key", method: "", calls: 1, refused: 0, failed: 0 },
  ...{ posts: 2, latencies },
});

test("searches of an account do not wait for a transaction that adds rows that refer to the account", async () => {
  const { key, accountId } = await newAccount();
  const statuses = await pool.begin(async (transaction) => {
    await transaction.unsafe(
      `INSERT INTO usage(account_id, bucket_ms, key_id, method, calls, refused, failed, posts, latencies)
       VALUES($1, 1, 'key', '', 1, 0, 0, 0, '')`,
      [accountId],
    );
    const responses = [
      await service.submit(key, search("comet")),
      await service.submit(key, search("comet")),
      await service.call(key, {
        method: "POST",
        url: "/v1/search/live/social",
        headers: { "idempotency-key": "once" },
        payload: search("comet"),
      }),
      await other.submit(key, search("comet")),
    ];
    return responses.map(({ statusCode }) => statusCode);
  });
  expect(statuses).toEqual([202, 202, 202, 202]);
});

test("usage can be added while another transaction changes its account", async () => {
  const { accountId } = await newAccount();
  await pool.begin(async (transaction) => {
    await transaction.unsafe("UPDATE account SET last_change = last_change + 1 WHERE id = $1", [
      accountId,
    ]);
    await service.context.store.write("addUsage", { rows: [makeUsage(accountId)], uses: [] });
  });
  expect(await fetchCalls(accountId)).toMatchObject({ calls: 1 });
});

test("usage that gateways add to the same rows concurrently is exact", async () => {
  const accounts = [await newAccount(), await newAccount()].map(({ accountId }) => accountId);
  const writes = Array.from({ length: 20 }, async (_unused, n) => {
    const { store } = (n % 2 === 0 ? service : other).context;
    const order = n % 3 === 0 ? accounts : accounts.toReversed();
    const rows = order.map((accountId) => makeUsage(accountId, "5:1"));
    await store.write("addUsage", { rows, uses: [] });
  });
  await Promise.all(writes);
  for (const accountId of accounts) {
    expect(await fetchCalls(accountId)).toEqual({ calls: 20, posts: 40, latencies: "5:k" });
  }
});

test("a write that ends jobs of several accounts locks the accounts in one order", async () => {
  const settings = await databaseSettings();
  const waiting = await startServiceUnderTest({ ...settings, EARSHOT_NODE_CONCURRENCY: "0" });
  const connections = openConnections(settings);
  try {
    for (const key of [await waiting.makeKey(), await waiting.makeKey()]) {
      expect((await waiting.submit(key, search("comet"))).statusCode).toBe(202);
    }
    const jobs = await connections.unsafe<{ uuid: string; account_id: string }[]>(
      'SELECT uuid, account_id FROM job ORDER BY account_id COLLATE "C"',
    );
    const [first = "", second = ""] = jobs.map(({ account_id }) => account_id);
    const lock = "SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE";
    const { write } = await connections.begin(async (transaction) => {
      await transaction.unsafe("SET LOCAL lock_timeout = '500ms'");
      await transaction.unsafe(lock, [first]);
      const uuids = jobs.map(({ uuid }) => uuid).reverse();
      const write = waiting.context.store.write("timeOutJobs", { uuids, nowMs: Date.now() });
      await until("the write waits for a lock", async () => {
        const [row] = await connections.unsafe(
          `SELECT 1 FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        return row ?? null;
      });
      await transaction.unsafe(lock, [second]);
      // Not awaited: it waits for the end of this transaction.
      return { write };
    });
    expect((await write).map(({ state }) => state)).toEqual(["error", "error"]);
  } finally {
    await connections.end();
    await waiting.remove();
  }
});

async function fetchCalls(accountId: string): Promise<unknown> {
  const [row] = await pool.unsafe(
    "SELECT calls, posts, latencies FROM usage WHERE account_id = $1 AND bucket_ms = 0",
    [accountId],
  );
  return row;
}
