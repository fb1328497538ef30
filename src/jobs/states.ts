import type { JobState } from "./job.ts";

/**
 * The life of a job.
 *
 * A job is `received` when its submission is on disk. A node that leases it makes it `in progress`; each lease counts an
 * attempt and has a fresh token, and only who holds the current token can renew, complete or fail it. Completing makes it
 * `done`. A failure that another attempt may mend, and a lease that lapses, make it `error(retrying)` until it is leased
 * again; the last one makes it `error`, and so does its deadline. A process that dies takes its leases along: its jobs are
 * `received` again and the attempt does not count. The same goes for a node that says it leaves, or is sent away. Its client makes it `cancelled` as long as it has not ended: the lease is
 * lost then. `done` becomes `expired` when the result is dropped. `done`, `error`, `cancelled` and `expired` are final: a job
 * reaches one of them once, and only `expired` follows `done`. What is final is forgotten, row and result, when its client
 * says so and when its time is over.
 *
 * A search that ends before its submission is committed is inserted `done`, with its first attempt, in that one commit: the
 * states between are skipped. If it takes longer, the job is inserted `received` and leased in the same commit, and goes on.
 *
 * Each change is one row of this table, and each update of the store names the states it may start from.
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

/** A transition after which there is a job. */
export type Change = Exclude<Transition, "submit" | "submitDone" | "forget">;

/** The states a transition may start from, as an SQL condition. */
export function startsFrom(transition: Exclude<Transition, "submit" | "submitDone">): string {
  return `state IN (${transitions[transition].from.map((state) => `'${state}'`).join(", ")})`;
}

/** The state a transition leads to, as an SQL assignment. */
export function leadsTo(transition: Change): string {
  return `state = '${transitions[transition].to}'`;
}

/** That no node holds the job, as an SQL assignment. */
export const noLease = "lease_token = NULL, lease_until_ms = NULL";

/** Clients may take `error(retrying)` for the end, so that a retry shows as one only when it is further away than this. */
export const shownRetryMs = 3_000;

/** The state as a caller sees it. */
export function shownState(
  stored: { state: JobState; notBeforeMs: number; expiresMs: number | null },
  nowMs: number,
): JobState {
  const { state, notBeforeMs, expiresMs } = stored;
  if (state === "error(retrying)" && notBeforeMs - nowMs <= shownRetryMs) return "in progress";
  if (state === "done" && expiresMs !== null && expiresMs <= nowMs) return "expired";
  return state;
}

/** The same as an SQL expression of a row and of `:nowMs`. */
export const shownStateSql = `CASE
  WHEN state = 'error(retrying)' AND not_before_ms - :nowMs <= ${shownRetryMs} THEN 'in progress'
  WHEN state = 'done' AND expires_ms <= :nowMs THEN 'expired'
  ELSE state END`;
