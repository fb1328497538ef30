import { containsPattern } from "../../db/like-pattern.ts";
import { read } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import { latestMs } from "../../lib/clock.ts";
import type { Method } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { JobChange, JobState, ListPosition } from "../job.ts";
import { shownStateSql } from "../states.ts";
import { type JobRow, type ListedRow, listedColumns, rowColumns } from "../stored.ts";

export type JobListParams = {
  accountId: string;
  before: ListPosition;
  /** The states as shown to callers; null means all. */
  states: readonly JobState[] | null;
  methods: readonly Method[] | null;
  platforms: readonly SearchPlatform[] | null;
  text: string | null;
  limit: number;
  nowMs: number;
};

export const readOperations = {
  findJob: read(function* (
    database,
    { accountId, uuid }: { accountId: string; uuid: string },
  ): Steps<JobRow | null> {
    const row = yield* database.get<JobRow>(
      `SELECT ${rowColumns} FROM job WHERE uuid = :uuid AND account_id = :accountId`,
      { accountId, uuid },
    );
    return row ?? null;
  }),

  /** Scans a bounded number of jobs. `lastScanned` is a position; null at the end. */
  listJobs: read(function* (
    database,
    { accountId, before, states, methods, platforms, text, limit, nowMs }: JobListParams,
  ): Steps<{ rows: ListedRow[]; lastScanned: ListPosition | null }> {
    const position = { accountId, ms: before.submittedMs, uuid: before.uuid };
    const seen = yield* database.get<ListPosition>(
      `SELECT submitted_ms AS submittedMs, uuid FROM job WHERE ${olderJobs}
         ORDER BY submitted_ms DESC, uuid DESC LIMIT 1 OFFSET ${jobsPerScan - 1}`,
      position,
    );
    const rows = yield* database.all<ListedRow>(
      `SELECT ${listedColumns} FROM job
         WHERE ${olderJobs} AND (submitted_ms, uuid) >= (:seenMs, :seenUuid)
           AND (CAST(:states AS TEXT) IS NULL OR ${shownStateSql} IN (SELECT value FROM json_each(:states)))
           AND (CAST(:methods AS TEXT) IS NULL OR request ->> '$.method' IN (SELECT value FROM json_each(:methods)))
           AND (CAST(:platforms AS TEXT) IS NULL OR request ->> '$.platform' IN (SELECT value FROM json_each(:platforms)))
           AND (CAST(:pattern AS TEXT) IS NULL OR request ->> '$.query' LIKE :pattern ESCAPE '\\')
         ORDER BY submitted_ms DESC, uuid DESC LIMIT :limit`,
      {
        ...position,
        seenMs: seen?.submittedMs ?? -latestMs,
        seenUuid: seen?.uuid ?? "",
        states: jsonOrNull(states),
        methods: jsonOrNull(methods),
        platforms: jsonOrNull(platforms),
        pattern: text === null ? null : containsPattern(text),
        limit,
        nowMs,
      },
    );
    return { rows, lastScanned: seen ?? null };
  }),

  listAllJobs: read(function* (
    database,
    params: { before: number; limit: number },
  ): Steps<(ListedRow & { sequence: number })[]> {
    return yield* database.all(
      `SELECT sequence, ${listedColumns} FROM job WHERE sequence < :before ORDER BY sequence DESC LIMIT :limit`,
      params,
    );
  }),

  changesAfter: read(function* (
    database,
    args: { accountId: string; after: number; limit: number; nowMs: number },
  ): Steps<JobChange[]> {
    return yield* database.all(
      `SELECT change AS id, uuid, ${shownStateSql} AS state, attempts, changed_ms AS atMs FROM job
         WHERE account_id = :accountId AND change > :after ORDER BY change LIMIT :limit`,
      args,
    );
  }),

  lastChange: read(function* (database, { accountId }: { accountId: string }): Steps<number> {
    return (
      (yield* database.get<{ lastChange: number }>(
        "SELECT last_change AS lastChange FROM account WHERE id = :accountId",
        { accountId },
      ))?.lastChange ?? 0
    );
  }),
};

const jobsPerScan = 1_000;

const olderJobs = "account_id = :accountId AND (submitted_ms, uuid) < (:ms, :uuid)";

function jsonOrNull(values: readonly string[] | null): string | null {
  return values === null ? null : JSON.stringify(values);
}
