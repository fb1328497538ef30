import { afterEach, beforeEach, expect, test } from "vitest";
import type { Database } from "../db/open.ts";
import { jobOperations as run } from "./operations.ts";
import { encodeRequest } from "./stored.ts";
import { type JobTable, openJobTable, request } from "./test-jobs.ts";

let table: JobTable;
let asked: Map<string, Parameters<Database["all"]>[1]>;
let statements: number;
let watched: Database;

beforeEach(() => {
  table = openJobTable();
  asked = new Map();
  statements = 0;
  const { database } = table;
  const noted = (sql: string, parameters: Parameters<Database["all"]>[1]): void => {
    asked.set(sql, parameters);
    statements += 1;
  };
  watched = {
    ...database,
    get: (sql, parameters) => {
      noted(sql, parameters);
      return database.get(sql, parameters);
    },
    all: (sql, parameters) => {
      noted(sql, parameters);
      return database.all(sql, parameters);
    },
    run: (sql, parameters) => {
      noted(sql, parameters);
      return database.run(sql, parameters);
    },
  };
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
  run.leaseJob.run(watched, { uuid, token: "token", node: "node", nowMs: 11, untilMs: 99 });
}

function statementsOf(work: () => void): number {
  const before = statements;
  work();
  return statements - before;
}

test("a job takes seven statements from its submission to its end", () => {
  expect(statementsOf(() => run.insertJob.run(watched, insertion("a")))).toBe(2);
  expect(statementsOf(() => lease("a"))).toBe(2);
  const completion = {
    uuid: "a",
    token: "token",
    nowMs: 12,
    expiresMs: 50,
    result: "{}",
    fetched: [],
  };
  expect(statementsOf(() => run.completeJob.run(watched, completion))).toBe(3);
});

test("no statement scans all jobs, however many have ended", () => {
  const idempotency = { key: "k", requestHash: new Uint8Array(32), sinceMs: 0 };
  for (const uuid of ["a", "b", "c", "d"]) {
    run.insertJob.run(watched, { ...insertion(uuid), idempotency: { ...idempotency, key: uuid } });
    lease(uuid);
  }
  run.renewLease.run(watched, { uuid: "a", token: "token", untilMs: 100 });
  run.completeJob.run(watched, {
    uuid: "a",
    token: "token",
    nowMs: 12,
    expiresMs: 50,
    result: "{}",
    fetched: [],
  });
  const rules = { nowMs: 13, maxAttempts: 3, retryDelayMs: 250 };
  const failure = { code: "x", message: "", status: 500, retryable: true };
  const leased = { uuid: "b", token: "token", deadlineMs: 1_000 };
  run.failJob.run(watched, { lease: leased, failure, ...rules });
  run.endLapsedLeases.run(watched, { leases: [{ ...leased, uuid: "c" }], ...rules });
  run.cancelJob.run(watched, { accountId: "one", uuid: "d", nowMs: 14 });
  run.cancelJob.run(watched, { accountId: "one", uuid: "d", nowMs: 14 });
  run.overdueJobs.run(watched, { deadlineMs: 500 });
  run.timeOutJobs.run(watched, { uuids: ["b"], nowMs: 2_000 });
  run.expireJobs.run(watched, { nowMs: 60, endedMs: 0, keyedMs: 0 });
  run.moveTimes.run(watched, { ms: 5 });
  run.recoverJobs.run(watched, { nowMs: 2_000, lifeMs: 100 });
  run.beat.run(watched, { nowMs: 2_001 });
  run.findJob.run(watched, { accountId: "one", uuid: "a" });
  run.findEarlier.run(watched, { accountId: "one", idempotency });
  run.changesAfter.run(watched, { accountId: "one", after: 0, limit: 9, nowMs: 9 });
  run.lastChange.run(watched, { accountId: "one" });
  run.listJobs.run(watched, {
    accountId: "one",
    before: { submittedMs: 99, uuid: "" },
    states: ["done"],
    methods: ["searchbyquery"],
    limit: 9,
    nowMs: 9,
  });
  const scans: string[] = [];
  for (const [sql, parameters] of asked) {
    const plan = table.database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    for (const { detail } of plan) if (/^SCAN (job|account)\b/.test(detail)) scans.push(sql);
  }
  expect(scans).toEqual([]);
  expect(asked.size).toBeGreaterThan(20);
});
