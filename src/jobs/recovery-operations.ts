import type { Database } from "../db/open.ts";
import { durable, relaxed } from "../db/operations.ts";
import { timeAfter } from "../lib/latest-time.ts";
import { noLease, startsFrom } from "./states.ts";
import { headColumns, type JobHead } from "./stored.ts";
import { visibleChange } from "./visible-change.ts";
import { putDeliveriesBack } from "./webhooks/put-back.ts";

const recover = visibleChange<{ uuid: string; nowMs: number }>("recover", {
  set: `attempts = attempts - 1, ${noLease}`,
  where: "uuid = :uuid",
});

/** As the index of jobs that have not ended asks for it. */
const notEnded = `finished_ms IS NULL AND ${startsFrom("timeOut")}`;

/** How a server takes up what the one before it left, and what it notes for the next one. */
export const recoveryOperations = {
  /**
   * At the start of a server, before it takes work: jobs in progress were run by a process that is gone and are received
   * again, without the attempt; what was left of a deadline at the last heartbeat is left now, and never more than `lifeMs`.
   * All that wait, oldest first.
   */
  recoverJobs: durable(
    (database, { nowMs, lifeMs }: { nowMs: number; lifeMs: number }): JobHead[] => {
      const heartbeat = database.get<{ value: number }>(
        "SELECT value FROM setting WHERE name = 'heartbeat'",
      );
      // Less than nothing when the clock was put back meanwhile.
      const goneMs = heartbeat === undefined ? 0 : nowMs - heartbeat.value;
      database.run(
        `UPDATE job SET deadline_ms = min(deadline_ms + :goneMs, :latestMs),
              not_before_ms = not_before_ms + min(0, :goneMs)
       WHERE ${notEnded}`,
        { goneMs, latestMs: timeAfter(nowMs, lifeMs) },
      );
      if (goneMs < 0) putDeliveriesBack(database, -goneMs);
      leaveNumbersOut(database);
      const running = database.all<{ uuid: string }>(
        `SELECT uuid FROM job WHERE ${notEnded} AND ${startsFrom("recover")} ORDER BY sequence`,
      );
      for (const { uuid } of running) recover(database, { uuid, nowMs });
      beat(database, nowMs);
      return database.all<JobHead>(
        `SELECT ${headColumns} FROM job WHERE ${notEnded} AND ${startsFrom("lease")} ORDER BY sequence`,
      );
    },
  ),

  /** Notes that a server runs: the last of these tells the next one how long none did. */
  beat: relaxed((database, { nowMs }: { nowMs: number }): null => {
    beat(database, nowMs);
    return null;
  }),

  /** The wall clock was put forward or back: what is still to come is as far away as before. */
  moveTimes: relaxed((database, { ms }: { ms: number }): null => {
    database.run(
      `UPDATE job SET deadline_ms = deadline_ms + :ms, not_before_ms = not_before_ms + :ms,
              lease_until_ms = lease_until_ms + :ms
       WHERE ${notEnded}`,
      { ms },
    );
    if (ms < 0) putDeliveriesBack(database, -ms);
    database.run("UPDATE setting SET value = value + :ms WHERE name = 'heartbeat'", { ms });
    return null;
  }),
};

/**
 * A crash of the machine may have taken leases back that readers were told of, at most one for each job that has not ended.
 * Their numbers are not given again: a reader that goes on from one of them would miss what comes under it.
 */
function leaveNumbersOut(database: Database): void {
  database.run(
    `UPDATE account SET last_change = last_change + waiting.jobs
     FROM (SELECT account_id, count(*) AS jobs FROM job WHERE ${notEnded} GROUP BY account_id) AS waiting
     WHERE waiting.account_id = account.id`,
  );
}

function beat(database: Database, nowMs: number): void {
  database.run(
    `INSERT INTO setting VALUES('heartbeat', :nowMs) ON CONFLICT(name) DO UPDATE SET value = :nowMs`,
    { nowMs },
  );
}
