import { durable, read, relaxed } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import { timeAfter } from "../../lib/clock.ts";
import { inAccountOrder, type JobSnapshot, visibleChange } from "../reads/visible-change.ts";
import { noLease, sourceStatesSql } from "../states.ts";
import { headColumns, type JobHead } from "../stored.ts";
import { shiftDeliveriesBack } from "../webhooks/shift-back.ts";
import type { OtherGateway } from "./gateway.ts";

const returnToReceivedSql = `attempts = attempts - 1, ${noLease}`;

const recover = visibleChange<{ uuid: string; nowMs: number }>("recover", {
  set: returnToReceivedSql,
  where: "uuid = :uuid",
});

type UnchangedJob = { uuid: string; change: number };

/** Does not affect a later lease. */
const recoverUnchanged = visibleChange<UnchangedJob & { gateway: string; nowMs: number }>(
  "recover",
  { set: returnToReceivedSql, where: "uuid = :uuid AND change = :change AND gateway = :gateway" },
);

const isUnfinishedSql = `finished_ms IS NULL AND ${sourceStatesSql("timeOut")}`;

const runningJobsSql = `SELECT uuid FROM job WHERE ${isUnfinishedSql} AND ${sourceStatesSql("recover")}`;

const gatewayTimeoutMs = 10_000;

export type GatewayHeartbeat = { gateway: string; nowMs: number; capabilities?: string | null };

export type UnfinishedJob = JobHead & { gateway: string | null; change: number };

const unfinishedJobsSql = `SELECT ${headColumns}, gateway, change FROM job WHERE ${isUnfinishedSql}`;

export const recoveryOperations = {
  /**
   * Runs at startup. If there is no other gateway, jobs in progress go back to `received` without counting the attempt, and
   * deadlines are extended by the downtime, to at most `lifetimeMs` from now. Returns the unfinished jobs, oldest first.
   */
  recoverJobs: durable(function* (
    database,
    { gateway, nowMs, lifetimeMs }: { gateway: string; nowMs: number; lifetimeMs: number },
  ): Steps<UnfinishedJob[]> {
    const otherGateway = yield* database.get(
      "SELECT 1 FROM gateway WHERE id <> :gateway AND seen_ms > :sinceMs",
      { gateway, sinceMs: nowMs - gatewayTimeoutMs },
    );
    if (otherGateway === undefined) yield* recoverAsOnlyGateway(database, nowMs, lifetimeMs);
    yield* writeHeartbeat(database, { gateway, nowMs });
    return yield* database.all<UnfinishedJob>(`${unfinishedJobsSql} ORDER BY sequence`);
  }),

  // biome-ignore lint/correctness/useYield: a single gateway has its own clock.
  sharedTime: read(function* (_database, { nowMs }: { nowMs: number }): Steps<number> {
    return nowMs;
  }),

  beat: relaxed(function* (database, heartbeat: GatewayHeartbeat): Steps<number> {
    yield* writeHeartbeat(database, heartbeat);
    return heartbeat.nowMs;
  }),

  /**
   * Gateways seen within `gatewayTimeoutMs` of the newest heartbeat, the latest time on the shared
   * clock.
   */
  otherGateways: read(function* (
    database,
    { gateway }: { gateway: string },
  ): Steps<OtherGateway[]> {
    return yield* database.all(
      `SELECT id, capabilities FROM gateway
       WHERE id <> :gateway AND seen_ms > (SELECT max(seen_ms) FROM gateway) - :gatewayTimeoutMs`,
      { gateway, gatewayTimeoutMs },
    );
  }),

  recoverFromOthers: durable(function* (
    database,
    { gateway, nowMs }: { gateway: string; nowMs: number },
  ): Steps<JobSnapshot[]> {
    const deadGateways = yield* database.all<{ id: string }>(
      "SELECT id FROM gateway WHERE id <> :gateway AND seen_ms <= :sinceMs FOR NO KEY UPDATE",
      { gateway, sinceMs: nowMs - gatewayTimeoutMs },
    );
    const snapshots = yield* mapNonNull(deadGateways, ({ id }) => recoverFrom(database, id, nowMs));
    return snapshots.flat();
  }),

  recoverOwn: durable(function* (
    database,
    { jobs, ...common }: { gateway: string; jobs: readonly UnchangedJob[]; nowMs: number },
  ): Steps<JobSnapshot[]> {
    return yield* mapNonNull(yield* inAccountOrder(database, jobs), ({ uuid, change }) =>
      recoverUnchanged(database, { uuid, change, ...common }),
    );
  }),

  /** Spares other gateways the wait until this one's heartbeat times out. */
  leave: durable(function* (
    database,
    { gateway, nowMs }: { gateway: string; nowMs: number },
  ): Steps<null> {
    yield* recoverFrom(database, gateway, nowMs);
    return null;
  }),

  /** `uuids`: null means all unfinished jobs. */
  unfinishedJobs: read(function* (
    database,
    { uuids }: { uuids: readonly string[] | null },
  ): Steps<UnfinishedJob[]> {
    if (uuids === null) return yield* database.all(`${unfinishedJobsSql} ORDER BY sequence`);
    return yield* database.all(
      `${unfinishedJobsSql} AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY sequence`,
      { uuids: JSON.stringify(uuids) },
    );
  }),

  /** Keeps remaining times the same after a clock step or an outage. */
  moveTimes: relaxed(function* (database, { ms }: { ms: number }): Steps<null> {
    yield* database.run(
      `UPDATE job SET deadline_ms = deadline_ms + :ms, not_before_ms = not_before_ms + :ms,
              lease_until_ms = lease_until_ms + :ms
       WHERE ${isUnfinishedSql}`,
      { ms },
    );
    if (ms < 0) yield* shiftDeliveriesBack(database, -ms);
    yield* database.run("UPDATE gateway SET seen_ms = seen_ms + :ms", { ms });
    return null;
  }),
};

function* recoverAsOnlyGateway(database: Database, nowMs: number, lifetimeMs: number): Steps<void> {
  const last = yield* database.get<{ seenMs: number | null }>(
    "SELECT max(seen_ms) AS seenMs FROM gateway",
  );
  const seenMs = last?.seenMs ?? null;
  // Negative if the clock was set back while no server was running.
  const downtimeMs = seenMs === null ? 0 : nowMs - seenMs;
  yield* database.run(
    `UPDATE job SET deadline_ms = min(deadline_ms + :downtimeMs, :latestMs),
            not_before_ms = not_before_ms + min(0, :downtimeMs)
     WHERE ${isUnfinishedSql}`,
    { downtimeMs, latestMs: timeAfter(nowMs, lifetimeMs) },
  );
  if (downtimeMs < 0) yield* shiftDeliveriesBack(database, -downtimeMs);
  yield* skipChangeNumbers(database);
  const runningRows = yield* database.all<{ uuid: string }>(`${runningJobsSql} ORDER BY sequence`);
  yield* recoverEach(database, runningRows, nowMs);
  yield* database.run("DELETE FROM gateway");
}

function* recoverFrom(database: Database, gateway: string, nowMs: number): Steps<JobSnapshot[]> {
  const runningRows = yield* database.all<{ uuid: string }>(
    `${runningJobsSql} AND gateway = :gateway ORDER BY sequence`,
    { gateway },
  );
  const ordered = yield* inAccountOrder(database, runningRows);
  const snapshots = yield* recoverEach(database, ordered, nowMs);
  yield* database.run("DELETE FROM gateway WHERE id = :gateway", { gateway });
  return snapshots;
}

function* recoverEach(
  database: Database,
  jobs: readonly { uuid: string }[],
  nowMs: number,
): Steps<JobSnapshot[]> {
  return yield* mapNonNull(jobs, ({ uuid }) => recover(database, { uuid, nowMs }));
}

/**
 * A machine crash may lose leases that readers have already seen, at most one per unfinished job.
 * Skips their change numbers, so that none is reused.
 */
function* skipChangeNumbers(database: Database): Steps<void> {
  yield* database.run(
    `UPDATE account SET last_change = last_change + waiting.jobs
     FROM (SELECT account_id, count(*) AS jobs FROM job WHERE ${isUnfinishedSql} GROUP BY account_id) AS waiting
     WHERE waiting.account_id = account.id`,
  );
}

function* writeHeartbeat(
  database: Database,
  { gateway, nowMs, capabilities = null }: GatewayHeartbeat,
): Steps<void> {
  yield* database.run(
    `INSERT INTO gateway(id, seen_ms, capabilities) VALUES(:gateway, :nowMs, :capabilities)
     ON CONFLICT(id) DO UPDATE SET seen_ms = :nowMs, capabilities = :capabilities`,
    { gateway, nowMs, capabilities },
  );
}
