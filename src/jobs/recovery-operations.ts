import { durable, relaxed } from "../db/operations.ts";
import type { Database, Steps } from "../db/statements.ts";
import { timeAfter } from "../lib/latest-time.ts";
import { noLease, startsFrom } from "./states.ts";
import { headColumns, type JobHead } from "./stored.ts";
import { visibleChange } from "./visible-change.ts";
import { putDeliveriesBack } from "./webhooks/put-back.ts";

const recover = visibleChange<{ uuid: string; nowMs: number }>("recover", {
  set: `attempts = attempts - 1, ${noLease}`,
  where: "uuid = :uuid",
});

/** Matches the index of unfinished jobs. */
const notEnded = `finished_ms IS NULL AND ${startsFrom("timeOut")}`;

export const recoveryOperations = {
  /**
   * Runs at startup. Jobs in progress go back to `received` without counting the attempt. Deadlines are extended by the downtime,
   * to at most `lifeMs` from now. Returns waiting jobs, oldest first.
   */
  recoverJobs: durable(function* (
    database,
    { nowMs, lifeMs }: { nowMs: number; lifeMs: number },
  ): Steps<JobHead[]> {
    const heartbeat = yield* database.get<{ value: number }>(
      "SELECT value FROM setting WHERE name = 'heartbeat'",
    );
    // Negative if the clock was set back while no server ran.
    const downtimeMs = heartbeat === undefined ? 0 : nowMs - heartbeat.value;
    yield* database.run(
      `UPDATE job SET deadline_ms = min(deadline_ms + :goneMs, :latestMs),
              not_before_ms = not_before_ms + min(0, :goneMs)
       WHERE ${notEnded}`,
      { goneMs: downtimeMs, latestMs: timeAfter(nowMs, lifeMs) },
    );
    if (downtimeMs < 0) yield* putDeliveriesBack(database, -downtimeMs);
    yield* leaveNumbersOut(database);
    const running = yield* database.all<{ uuid: string }>(
      `SELECT uuid FROM job WHERE ${notEnded} AND ${startsFrom("recover")} ORDER BY sequence`,
    );
    for (const { uuid } of running) yield* recover(database, { uuid, nowMs });
    yield* beat(database, nowMs);
    return yield* database.all<JobHead>(
      `SELECT ${headColumns} FROM job WHERE ${notEnded} AND ${startsFrom("lease")} ORDER BY sequence`,
    );
  }),

  /** The next server computes the downtime from it. */
  beat: relaxed(function* (database, { nowMs }: { nowMs: number }): Steps<null> {
    yield* beat(database, nowMs);
    return null;
  }),

  /** After a step of the wall clock, so that pending times stay as far away. */
  moveTimes: relaxed(function* (database, { ms }: { ms: number }): Steps<null> {
    yield* database.run(
      `UPDATE job SET deadline_ms = deadline_ms + :ms, not_before_ms = not_before_ms + :ms,
              lease_until_ms = lease_until_ms + :ms
       WHERE ${notEnded}`,
      { ms },
    );
    if (ms < 0) yield* putDeliveriesBack(database, -ms);
    yield* database.run("UPDATE setting SET value = value + :ms WHERE name = 'heartbeat'", { ms });
    return null;
  }),
};

/**
 * A machine crash may lose leases that readers already know, at most one per unfinished job. Skips their change numbers, so that
 * a reader which resumes from one does not miss the change that reuses it.
 */
function* leaveNumbersOut(database: Database): Steps<void> {
  yield* database.run(
    `UPDATE account SET last_change = last_change + waiting.jobs
     FROM (SELECT account_id, count(*) AS jobs FROM job WHERE ${notEnded} GROUP BY account_id) AS waiting
     WHERE waiting.account_id = account.id`,
  );
}

function* beat(database: Database, nowMs: number): Steps<void> {
  yield* database.run(
    `INSERT INTO setting VALUES('heartbeat', :nowMs) ON CONFLICT(name) DO UPDATE SET value = :nowMs`,
    { nowMs },
  );
}
