import { count, type SettingsOf, settingDefaults } from "../lib/settings/setting.ts";

export const limitSettings = {
  requestsPerSecond: count(
    "EARSHOT_REQUESTS_PER_SECOND",
    3,
    [1, 1_000_000],
    "Requests per second allowed to a key without its own limit.",
  ),
  submissionsPerMinute: count(
    "EARSHOT_SUBMISSIONS_PER_MINUTE",
    10,
    [1, 10_000_000],
    "Searches in any 60 seconds allowed to a key without its own limit.",
  ),
  failedKeysPerMinute: count(
    "EARSHOT_FAILED_KEYS_PER_MINUTE",
    30,
    [1, 1_000_000],
    "Number of different invalid keys in any 60 seconds after which an address is refused.",
  ),
  dashboardRequestsPerSecond: count(
    "EARSHOT_DASHBOARD_REQUESTS_PER_SECOND",
    20,
    [1, 1_000_000],
    "Requests per second allowed to all dashboard pages of an account together. Dashboard searches are limited like those of a key.",
  ),
};

export type Limits = SettingsOf<typeof limitSettings>;

export const defaultLimits: Limits = settingDefaults(limitSettings);

/** `burst`: requests in any second across the whole API. `search`: submissions in any 60 seconds. */
export type LimitPolicy = "burst" | "search";

export type PolicyState = {
  policy: LimitPolicy;
  limit: number;
  windowMs: number;
  remaining: number;
  /** Milliseconds until `remaining` grows; 0 if nothing is used. */
  growsInMs: number;
};
