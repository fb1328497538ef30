import type { JobState } from "./job.ts";

/**
 * Each lease is an attempt, and only its token can renew, complete or fail it. A failed attempt or
 * an expired lease leads to `error(retrying)` or `error`. If the server dies or a node leaves, its
 * jobs go back to `received` and the attempts do not count. A job reaches one final state (`done`,
 * `error`, `cancelled`) once, except that `done` later becomes `expired`. A search that ends before
 * its submission is committed is inserted as `done`.
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
  returnJob: { from: ["in progress"], to: "received" },
  cancel: { from: ["received", "in progress", "error(retrying)"], to: "cancelled" },
  expire: { from: ["done"], to: "expired" },
  forget: { from: ["done", "error", "cancelled", "expired"], to: null },
} as const satisfies Record<string, { from: readonly JobState[]; to: JobState | null }>;

export type Transition = keyof typeof transitions;

export type Change = Exclude<Transition, "submit" | "submitDone" | "forget">;

export function sourceStatesSql(transition: Exclude<Transition, "submit" | "submitDone">): string {
  return `state IN (${transitions[transition].from.map((state) => `'${state}'`).join(", ")})`;
}

export function targetStateSql(transition: Change): string {
  return `state = '${transitions[transition].to}'`;
}

export const noLease = "lease_token = NULL, lease_until_ms = NULL";

/**
 * Clients may mistake `error(retrying)` for a final state, so retries due within this time are
 * shown as `in progress`.
 */
export const shownRetryMs = 3_000;

export function shownState(
  stored: { state: JobState; notBeforeMs: number; expiresMs: number | null },
  nowMs: number,
): JobState {
  const { state, notBeforeMs, expiresMs } = stored;
  if (state === "error(retrying)" && notBeforeMs - nowMs <= shownRetryMs) return "in progress";
  if (state === "done" && expiresMs !== null && expiresMs <= nowMs) return "expired";
  return state;
}

export const shownStateSql = `CASE
  WHEN state = 'error(retrying)' AND not_before_ms - :nowMs <= ${shownRetryMs} THEN 'in progress'
  WHEN state = 'done' AND expires_ms <= :nowMs THEN 'expired'
  ELSE state END`;

export const hasEnded = (state: JobState): boolean =>
  state === "done" || state === "error" || state === "cancelled" || state === "expired";
