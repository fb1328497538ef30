import type { JobState } from "./job.ts";

/**
 * The life of a job.
 *
 * - `received`: on disk.
 * - `in progress`: leased. Each lease counts an attempt and has a new token; only its holder can renew, complete or fail it.
 * - `error(retrying)`: a retryable failure or a lapsed lease, until the next lease.
 * - `error`: the last attempt failed or the deadline passed.
 * - `cancelled`: by its client before it ended; the lease is lost.
 * - `expired`: the result of a `done` job was deleted.
 *
 * If the server dies, or a node leaves or is sent away, jobs go back to `received` and the attempt does not count. A job reaches
 * one final state (`done`, `error`, `cancelled`, `expired`) once; only `expired` follows `done`. Its client or retention deletes
 * a final job.
 *
 * A search that ends before its submission is committed is inserted as `done` with its first attempt, in that one commit.
 * Otherwise the job is inserted as `received` and leased in the same commit.
 *
 * Each transition is one row of this table; each update of the store names the states it starts from.
 */
export const transitions = {
  submit: { from: [], to: "received" },
  submitDone: { from: [], to: "done" },
  lease: { from: ["received", "error(retrying)"], to: "in progress" },
  renew: { from: ["in progress"], to: "in progress" },
  complete: { from: ["in progress"], to: "done" },
  retry: { from: ["in progress"], to: "error(retrying)" },
  fail: { from: ["in progress"], to: "error" },
  timeOut: { from: ["received", "in progress", "error(retrying)"], to: "error" },
  recover: { from: ["in progress"], to: "received" },
  giveBack: { from: ["in progress"], to: "received" },
  cancel: { from: ["received", "in progress", "error(retrying)"], to: "cancelled" },
  expire: { from: ["done"], to: "expired" },
  forget: { from: ["done", "error", "cancelled", "expired"], to: null },
} as const satisfies Record<string, { from: readonly JobState[]; to: JobState | null }>;

export type Transition = keyof typeof transitions;

/** A transition of an existing job that does not delete it. */
export type Change = Exclude<Transition, "submit" | "submitDone" | "forget">;

/** As an SQL condition. */
export function startsFrom(transition: Exclude<Transition, "submit" | "submitDone">): string {
  return `state IN (${transitions[transition].from.map((state) => `'${state}'`).join(", ")})`;
}

/** As an SQL assignment. */
export function leadsTo(transition: Change): string {
  return `state = '${transitions[transition].to}'`;
}

/** As an SQL assignment. */
export const noLease = "lease_token = NULL, lease_until_ms = NULL";

/** Clients may take `error(retrying)` for a final state, so a nearer retry is shown as `in progress`. */
export const shownRetryMs = 3_000;

/** As shown to callers. */
export function shownState(
  stored: { state: JobState; notBeforeMs: number; expiresMs: number | null },
  nowMs: number,
): JobState {
  const { state, notBeforeMs, expiresMs } = stored;
  if (state === "error(retrying)" && notBeforeMs - nowMs <= shownRetryMs) return "in progress";
  if (state === "done" && expiresMs !== null && expiresMs <= nowMs) return "expired";
  return state;
}

/** The same as an SQL expression over a row and `:nowMs`. */
export const shownStateSql = `CASE
  WHEN state = 'error(retrying)' AND not_before_ms - :nowMs <= ${shownRetryMs} THEN 'in progress'
  WHEN state = 'done' AND expires_ms <= :nowMs THEN 'expired'
  ELSE state END`;
