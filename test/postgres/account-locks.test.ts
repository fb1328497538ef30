import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageRow } from "../../src/accounts/usage/operations.ts";
import { openPool, type Pool } from "../../src/db/postgres/pool.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let other: ServiceUnderTest;
let pool: Pool;

beforeAll(async () => {
  const settings = await databaseSettings();
  service = await startServiceUnderTest(settings);
  other = await startServiceUnderTest(settings);
  const { EARSHOT_DATABASE_URL: url = "" } = settings;
  pool = openPool({ url, gateway: "test", connections: 4, timeoutMs: 5_000 });
});
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

const usageOf = (accountId: string, latencies = ""): UsageRow => ({
  ...{ accountId, bucketMs: 0, keyId: "key", method: "", calls: 1, refused: 0, failed: 0 },
  ...{ posts: 2, latencies },
});

test("searches of an account do not wait for a transaction that adds rows with a reference to the account", async () => {
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
    await service.context.store.write("addUsage", { rows: [usageOf(accountId)], uses: [] });
  });
  expect(await callsOf(accountId)).toMatchObject({ calls: 1 });
});

test("usage that gateways add to the same rows concurrently is exact", async () => {
  const accounts = [await newAccount(), await newAccount()].map(({ accountId }) => accountId);
  const writes = Array.from({ length: 20 }, async (_unused, n) => {
    const { store } = (n % 2 === 0 ? service : other).context;
    const order = n % 3 === 0 ? accounts : accounts.toReversed();
    const rows = order.map((accountId) => usageOf(accountId, "5:1"));
    await store.write("addUsage", { rows, uses: [] });
  });
  await Promise.all(writes);
  for (const accountId of accounts) {
    expect(await callsOf(accountId)).toEqual({ calls: 20, posts: 40, latencies: "5:k" });
  }
});

async function callsOf(accountId: string): Promise<unknown> {
  const [row] = await pool.unsafe(
    "SELECT calls, posts, latencies FROM usage WHERE account_id = $1 AND bucket_ms = 0",
    [accountId],
  );
  return row;
}
