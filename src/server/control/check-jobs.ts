import type { DatabaseSync } from "node:sqlite";
import { transitions } from "../../jobs/states.ts";
import { type JobRow, jobFromRow, rowColumns } from "../../jobs/stored.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { OnFinding } from "./control-findings.ts";

const states: ReadonlySet<string> = new Set(
  Object.values(transitions).flatMap(({ from, to }) => (to === null ? from : [...from, to])),
);

const endedStates: ReadonlySet<string> = new Set(transitions.forget.from);

type Row = JobRow & { leaseToken: string | null; leaseUntilMs: number | null };

/** A job has a lease exactly while in progress. */
export function checkJobs(database: DatabaseSync, onFinding: OnFinding): void {
  const jobs = database.prepare(
    `SELECT ${rowColumns}, lease_token AS leaseToken, lease_until_ms AS leaseUntilMs FROM job`,
  );
  for (const jobRow of jobs.iterate()) {
    const row = jobRow as Row;
    for (const message of errorsIn(row)) onFinding("job_inconsistent", "job", row.uuid, message);
    try {
      jobFromRow(row, 0);
    } catch (error) {
      const message = `job ${row.uuid} is unreadable: ${errorMessage(error)}`;
      onFinding("row_unreadable", "job", row.uuid, message);
    }
  }
}

function errorsIn({ uuid, state, leaseToken, leaseUntilMs, finishedMs, result }: Row): string[] {
  if (!states.has(state)) return [`job ${uuid} has the unknown state ${JSON.stringify(state)}`];
  const errors: string[] = [];
  const isLeased = leaseToken !== null && leaseUntilMs !== null;
  if (isLeased !== (state === "in progress")) {
    errors.push(`job ${uuid} is ${state}, and has ${isLeased ? "a" : "no"} lease`);
  }
  if (endedStates.has(state) !== (finishedMs !== null)) {
    errors.push(`job ${uuid} is ${state}, and has ${finishedMs === null ? "no" : "a"} finish time`);
  }
  if (state === "done" && result === null) errors.push(`job ${uuid} is done but has no result`);
  return errors;
}
