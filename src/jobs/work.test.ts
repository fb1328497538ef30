import { afterEach, beforeEach, expect, test } from "vitest";
import type { SqliteDatabase } from "../db/open.ts";
import { runOn } from "../db/operations.ts";
import { immediateDatabase, type Parameters as Values } from "../db/statements.ts";
import { jobOperations as run } from "./operations.ts";
import { encodeRequest } from "./stored.ts";
import { type JobTable, openJobTable, request } from "./test-jobs.ts";

let table: JobTable;
let executedStatements: Map<string, Values | undefined>;
let statementCount: number;
let watchedDatabase: SqliteDatabase;

beforeEach(() => {
  table = openJobTable();
  executedStatements = new Map();
  statementCount = 0;
  const { database } = table;
  const record = (sql: string, parameters: Values | undefined): void => {
    executedStatements.set(sql, parameters);
    statementCount += 1;
  };
  const recording: SqliteDatabase = {
    ...database,
    get: (sql, parameters) => {
      record(sql, parameters);
      return database.get(sql, parameters);
    },
    all: (sql, parameters) => {
      record(sql, parameters);
      return database.all(sql, parameters);
    },
    run: (sql, parameters) => {
      record(sql, parameters);
      return database.run(sql, parameters);
    },
  };
  watchedDatabase = { ...recording, forOperations: immediateDatabase(recording) };
});

afterEach(() => {
  table.remove();
});

const insertion = (uuid: string) => ({
  uuid,
  accountId: "one",
  keyId: "key",
  request: encodeRequest(request),
  canonicalQuery: "comet",
  warnings: "[]",
  submittedMs: 10,
  deadlineMs: 1_000,
});

function lease(uuid: string): void {
  runOn(run.leaseJob, watchedDatabase, {
    uuid,
    token: "token",
    node: "node",
    gateway: "only",
    nowMs: 11,
    untilMs: 99,
  });
}

function computeStatements(work: () => void): number {
  const before = statementCount;
  work();
  return statementCount - before;
}

test("a job takes seven statements from its submission to its end", () => {
  expect(computeStatements(() => runOn(run.insertJob, watchedDatabase, insertion("a")))).toBe(2);
  expect(computeStatements(() => lease("a"))).toBe(2);
  const completion = {
    uuid: "a",
    token: "token",
    nowMs: 12,
    expiresMs: 50,
    result: "{}",
    fetched: [],
  };
  expect(computeStatements(() => runOn(run.completeJob, watchedDatabase, completion))).toBe(3);
});

test("no statement of a job operation scans all jobs or accounts", () => {
  const idempotency = { key: "k", requestHash: new Uint8Array(32), sinceMs: 0 };
  for (const uuid of ["a", "b", "c", "d"]) {
    runOn(run.insertJob, watchedDatabase, {
      ...insertion(uuid),
      idempotency: { ...idempotency, key: uuid },
    });
    lease(uuid);
  }
  runOn(run.renewLease, watchedDatabase, { uuid: "a", token: "token", untilMs: 100 });
  runOn(run.completeJob, watchedDatabase, {
    uuid: "a",
    token: "token",
    nowMs: 12,
    expiresMs: 50,
    result: "{}",
    fetched: [],
  });
  const rules = { nowMs: 13, maxAttempts: 3, retryDelayMs: 250 };
  const failure = { code: "x", message: "", status: 500, retryable: true };
  const leasedJob = { uuid: "b", token: "token", deadlineMs: 1_000 };
  runOn(run.failJob, watchedDatabase, { lease: leasedJob, failure, ...rules });
  runOn(run.endExpiredLeases, watchedDatabase, { leases: [{ ...leasedJob, uuid: "c" }], ...rules });
  runOn(run.cancelJob, watchedDatabase, { accountId: "one", uuid: "d", nowMs: 14 });
  runOn(run.cancelJob, watchedDatabase, { accountId: "one", uuid: "d", nowMs: 14 });
  runOn(run.overdueJobs, watchedDatabase, { deadlineMs: 500 });
  runOn(run.timeOutJobs, watchedDatabase, { uuids: ["b"], nowMs: 2_000 });
  runOn(run.expireJobs, watchedDatabase, { nowMs: 60, endedMs: 0, keyedMs: 0 });
  runOn(run.moveTimes, watchedDatabase, { ms: 5 });
  runOn(run.recoverJobs, watchedDatabase, { gateway: "only", nowMs: 2_000, lifetimeMs: 100 });
  runOn(run.beat, watchedDatabase, { gateway: "only", nowMs: 2_001 });
  runOn(run.findJob, watchedDatabase, { accountId: "one", uuid: "a" });
  runOn(run.findEarlier, watchedDatabase, { accountId: "one", idempotency });
  runOn(run.changesAfter, watchedDatabase, { accountId: "one", after: 0, limit: 9, nowMs: 9 });
  runOn(run.lastChange, watchedDatabase, { accountId: "one" });
  runOn(run.listJobs, watchedDatabase, {
    accountId: "one",
    before: { submittedMs: 99, uuid: "" },
    states: ["done"],
    methods: ["searchbyquery"],
    platforms: ["x"],
    text: "comet",
    limit: 9,
    nowMs: 9,
  });
  const scans: string[] = [];
  for (const [sql, parameters] of executedStatements) {
    const plan = table.database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    for (const { detail } of plan) if (/^SCAN (job|account)\b/.test(detail)) scans.push(sql);
  }
  expect(scans).toEqual([]);
  expect(executedStatements.size).toBeGreaterThan(20);
});
