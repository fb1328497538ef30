/** The rates of the deployment; a key may have its own. */
export type Limits = {
  requestsPerSecond: number;
  submissionsPerMinute: number;
  failedKeysPerMinute: number;
};

export const defaultLimits: Limits = {
  requestsPerSecond: 3,
  submissionsPerMinute: 10,
  failedKeysPerMinute: 30,
};
