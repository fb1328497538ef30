import type { JobState } from "./job.ts";

/**
 * The life of a job.
 *
 * A job is `received` when its submission is on disk. A node that leases it makes it `in progress`; each lease counts an
 * attempt and has a fresh token, and only who holds the current token can renew, complete or fail it. Completing makes it
 * `done`. A failure that another attempt may mend, and a lease that lapses, make it `error(retrying)` until it is leased
 * again; the last one makes it `error`, and so does its deadline. A process that dies takes its leases along: its jobs are
 * `received` again and the attempt does not count. `done` becomes `expired` when the result is dropped. `done`, `error`,
 * `cancelled` and `expired` are final: a job reaches one of them once, and only `expired` follows `done`.
 *
 * Each change is one row of this table, and each update of the store names the states it may start from.
 */
export const transitions = {
  lease: { from: ["received", "error(retrying)"], to: "in progress" },
  renew: { from: ["in progress"], to: "in progress" },
  complete: { from: ["in progress"], to: "done" },
  retry: { from: ["in progress"], to: "error(retrying)" },
  fail: { from: ["in progress"], to: "error" },
  timeOut: { from: ["received", "in progress", "error(retrying)"], to: "error" },
  recover: { from: ["in progress"], to: "received" },
  expire: { from: ["done"], to: "expired" },
} as const satisfies Record<string, { from: readonly JobState[]; to: JobState }>;

export type Transition = keyof typeof transitions;

/** The states a transition may start from, as an SQL condition. */
export function startsFrom(transition: Transition): string {
  return `state IN (${transitions[transition].from.map((state) => `'${state}'`).join(", ")})`;
}

/** The state a transition leads to, as an SQL assignment. */
export function leadsTo(transition: Transition): string {
  return `state = '${transitions[transition].to}'`;
}

/** Clients may take `error(retrying)` for the end, so that a retry shows as one only when it is further away than this. */
const shownRetryMs = 3_000;

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
