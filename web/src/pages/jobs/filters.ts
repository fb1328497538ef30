import { runningStates } from "../../jobs/job.ts";

/** In the address: `?show=running`. */
export type Shown = "all" | "running" | "failed" | "cancelled";

const statesOf = {
  all: null,
  running: runningStates,
  failed: "error",
  cancelled: "cancelled",
} as const;

export function shownOf(text: string | null): Shown {
  return text === "running" || text === "failed" || text === "cancelled" ? text : "all";
}

export function listPath(shown: Shown, limit: number, cursor: string | null): string {
  const requested = new URLSearchParams({ limit: String(limit) });
  const states = statesOf[shown];
  if (states !== null) requested.set("status", states);
  if (cursor !== null) requested.set("cursor", cursor);
  return `/v1/search/live/jobs?${requested}`;
}

export function jobAddress(shown: Shown, uuid: string | null): string {
  const path = uuid === null ? "/jobs" : `/jobs/${uuid}`;
  return shown === "all" ? path : `${path}?show=${shown}`;
}
