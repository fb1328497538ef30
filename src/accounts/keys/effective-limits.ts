export type DeploymentLimits = { requestsPerSecond: number; submissionsPerMinute: number };

const noCap = Number.MAX_SAFE_INTEGER;

/** The key's rates from the command line, else the account's, else the deployment's, capped by the owner's. */
export const effectiveLimits = `
  min(coalesce(api_key.requests_per_second, account.requests_per_second, :requestsPerSecond),
    coalesce(api_key.owner_requests_per_second, ${noCap})) AS requestsPerSecond,
  min(coalesce(api_key.submissions_per_minute, account.submissions_per_minute, :submissionsPerMinute),
    coalesce(api_key.owner_submissions_per_minute, ${noCap})) AS submissionsPerMinute`;

/** Null if the account has none, or if the key has its own from the command line. */
export const sharedLimits = `
  CASE WHEN api_key.requests_per_second IS NULL THEN account.requests_per_second END AS accountRequestsPerSecond,
  CASE WHEN api_key.submissions_per_minute IS NULL THEN account.submissions_per_minute END AS accountSubmissionsPerMinute`;
