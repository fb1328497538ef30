import { randomUUID } from "node:crypto";
import { argv } from "node:process";
import { parseArgs } from "node:util";
import { createCalls } from "../src/db/postgres/calls.ts";
import { migratePostgres } from "../src/db/postgres/migrate.ts";
import type { Pool } from "../src/db/postgres/pool.ts";
import { systemClock } from "../src/lib/clock.ts";
import { databaseOperations, jobUuids } from "../src/server/control/control-database.ts";
import { startPostgres } from "../testkit/postgres/server.ts";
import { command, table } from "./measure.ts";

/**
 * Growth of PostgreSQL's tables over many jobs, of which the last tenth is retained, with its
 * vacuum settings: every fourth job runs on a node, others are inserted with their result. Each has
 * 20 posts.
 */
const { values } = parseArgs({
  args: argv.slice(2),
  options: { jobs: { type: "string", default: "1000000" } },
});
const jobs = Number(values.jobs);
const accounts = 100;
const workers = 24;
const intervalMs = 10;
const retentionMs = (jobs / 10) * intervalMs;
const result = JSON.stringify({ complete: true, positions: Array(20).fill(["x", "x".repeat(80)]) });

const postIds = Array.from({ length: 20 }, (_unused, n) => 2n ** 60n + BigInt(n));

const server = await startPostgres();
const url = await server.createDatabase();
const calls = createCalls(
  { url, connections: 16, timeoutMs: 60_000, gateway: "bench" },
  databaseOperations,
  systemClock,
  { changedBy: jobUuids },
);
const pool = calls.pool();
await migratePostgres(pool);
for (let n = 0; n < accounts; n += 1) {
  await pool.unsafe("INSERT INTO account(id, created_ms) VALUES($1, 0)", [`account-${n}`]);
}

const rows: string[][] = [];
let startedJobs = 0;
const startedMs = performance.now();
await Promise.all(Array.from({ length: workers }, work));
console.log(
  `${command()}: tables with their indexes, MB, while the last ${jobs / 10} jobs are retained\n`,
);
console.log(table(["jobs", "jobs/s", "job", "account", "live rows", "dead rows"], rows));
await calls.close();
await server.remove();

async function work(): Promise<void> {
  while (startedJobs < jobs) {
    startedJobs += 1;
    const number = startedJobs;
    await runJob(number);
    if (number % 2_000 === 0) await sweep(number * intervalMs);
    if (number % (jobs / 10) === 0) rows.push(await measureTables(pool, number));
  }
}

async function runJob(number: number): Promise<void> {
  const submittedMs = number * intervalMs;
  const uuid = randomUUID();
  const times = { finishedMs: submittedMs + 5, expiresMs: submittedMs + retentionMs / 2 };
  const row = {
    ...{
      uuid,
      accountId: `account-${number % accounts}`,
      keyId: "key",
      warnings: "[]",
      submittedMs,
    },
    ...{
      request: JSON.stringify({ method: "searchbyquery", query: "comet" }),
      canonicalQuery: "comet",
    },
    deadlineMs: submittedMs + 60_000,
  };
  if (number % 4 > 0) {
    const answer = { ...times, node: "node", startedMs: submittedMs, result, fetched: [], postIds };
    await calls.run("insertJob", { ...row, answer });
    return;
  }
  await calls.run("insertJob", row);
  const lease = { uuid, token: uuid, nowMs: submittedMs };
  const node = { node: "node", gateway: "bench", untilMs: submittedMs + 30_000 };
  await calls.run("leaseJob", { ...lease, ...node });
  await calls.run("completeJob", { ...lease, ...times, result, fetched: [] });
}

async function sweep(nowMs: number): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const cutoffs = { nowMs, endedMs: nowMs - retentionMs, keyedMs: nowMs - retentionMs };
    hasMore = ((await calls.run("expireJobs", cutoffs)) as { hasMore: boolean }).hasMore;
  }
}

async function measureTables(database: Pool, jobsDone: number): Promise<string[]> {
  const [found] = await database.unsafe<Record<string, number>[]>(
    `SELECT pg_total_relation_size('job') AS job, pg_total_relation_size('account') AS account,
       (SELECT count(*) FROM job) AS live, (SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'job') AS dead`,
  );
  const { job = 0, account = 0, live = 0, dead = 0 } = found ?? {};
  const perSecond = (jobsDone / (performance.now() - startedMs)) * 1_000;
  const sizes = [job, account].map((bytes) => (bytes / 1_048_576).toFixed(1));
  return [String(jobsDone), perSecond.toFixed(0), ...sizes, String(live), String(dead)];
}
