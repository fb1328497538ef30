import { read } from "../db/operations.ts";
import { latestMs } from "../lib/latest-time.ts";
import type { Method } from "../platforms/methods.ts";
import type { JobChange, JobState, ListPosition } from "./job.ts";
import { shownStateSql } from "./states.ts";
import { type JobRow, type ListedRow, listedColumns, rowColumns } from "./stored.ts";

/** One look at an account's jobs, newest first, that come after a place. */
export type ListedPart = {
  accountId: string;
  before: ListPosition;
  /** States as callers see them; null for all. */
  states: readonly JobState[] | null;
  methods: readonly Method[] | null;
  limit: number;
  nowMs: number;
};

/** What clients read of their jobs. */
export const readOperations = {
  /** The row of an account's job; null when the uuid is unknown or another account's. */
  findJob: read(
    (database, { accountId, uuid }: { accountId: string; uuid: string }): JobRow | null => {
      const row = database.get<JobRow>(
        `SELECT ${rowColumns} FROM job WHERE uuid = :uuid AND account_id = :accountId`,
        { accountId, uuid },
      );
      return row ?? null;
    },
  ),

  /**
   * The next jobs that a filter lets through, up to `limit`, and the place up to which was looked; null when that was the last
   * job of all. One call looks at so many jobs as hold up nobody else.
   */
  listJobs: read(
    (
      database,
      { accountId, before, states, methods, limit, nowMs }: ListedPart,
    ): { rows: ListedRow[]; seen: ListPosition | null } => {
      const place = { accountId, ms: before.submittedMs, uuid: before.uuid };
      const seen = database.get<ListPosition>(
        `SELECT submitted_ms AS submittedMs, uuid FROM job WHERE ${olderJobs}
         ORDER BY submitted_ms DESC, uuid DESC LIMIT 1 OFFSET ${jobsSeen - 1}`,
        place,
      );
      const rows = database.all<ListedRow>(
        `SELECT ${listedColumns} FROM job
         WHERE ${olderJobs} AND (submitted_ms, uuid) >= (:seenMs, :seenUuid)
           AND (:states IS NULL OR ${shownStateSql} IN (SELECT value FROM json_each(:states)))
           AND (:methods IS NULL OR request ->> '$.method' IN (SELECT value FROM json_each(:methods)))
         ORDER BY submitted_ms DESC, uuid DESC LIMIT :limit`,
        {
          ...place,
          seenMs: seen?.submittedMs ?? -latestMs,
          seenUuid: seen?.uuid ?? "",
          states: jsonOrNull(states),
          methods: jsonOrNull(methods),
          limit,
          nowMs,
        },
      );
      return { rows, seen: seen ?? null };
    },
  ),

  /** Where an account's jobs stand whose last change came after a number, in the order of their changes. */
  changesAfter: read(
    (
      database,
      args: { accountId: string; after: number; limit: number; nowMs: number },
    ): JobChange[] =>
      database.all(
        `SELECT change AS id, uuid, ${shownStateSql} AS state, attempts, changed_ms AS atMs FROM job
         WHERE account_id = :accountId AND change > :after ORDER BY change LIMIT :limit`,
        args,
      ),
  ),

  /** The number of the last change of an account. */
  lastChange: read(
    (database, { accountId }: { accountId: string }): number =>
      database.get<{ lastChange: number }>(
        "SELECT last_change AS lastChange FROM account WHERE id = :accountId",
        { accountId },
      )?.lastChange ?? 0,
  ),
};

/** Jobs that one look at a list goes over: a few milliseconds. */
const jobsSeen = 1_000;

const olderJobs = "account_id = :accountId AND (submitted_ms, uuid) < (:ms, :uuid)";

function jsonOrNull(values: readonly string[] | null): string | null {
  return values === null ? null : JSON.stringify(values);
}
