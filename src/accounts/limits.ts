/** The rates of the deployment; a key may have its own. */
export type Limits = {
  requestsPerSecond: number;
  submissionsPerMinute: number;
  failedKeysPerMinute: number;
  /** Of a session of the dashboard; it submits as many searches as a key. */
  dashboardRequestsPerSecond: number;
};

export const defaultLimits: Limits = {
  requestsPerSecond: 3,
  submissionsPerMinute: 10,
  failedKeysPerMinute: 30,
  dashboardRequestsPerSecond: 20,
};

/** `burst`: requests in any second over the whole API. `search`: submissions in any 60 seconds. */
export type LimitPolicy = "burst" | "search";

/** How far a key has used up one of its limits. */
export type PolicyState = {
  policy: LimitPolicy;
  limit: number;
  windowMs: number;
  remaining: number;
  /** Until `remaining` grows; 0 when nothing is used. */
  growsInMs: number;
};
