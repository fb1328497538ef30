/** The rates of the deployment, for accounts and keys without their own. */
export type DeploymentLimits = { requestsPerSecond: number; submissionsPerMinute: number };

const noCap = Number.MAX_SAFE_INTEGER;

/**
 * Columns of `api_key` joined with its `account`, as `requestsPerSecond` and `submissionsPerMinute`: what the command line gave
 * the key, else its account's, else the deployment's, given by those names; and no more than its owner lets it have.
 */
export const effectiveLimits = `
  min(coalesce(api_key.requests_per_second, account.requests_per_second, :requestsPerSecond),
    coalesce(api_key.owner_requests_per_second, ${noCap})) AS requestsPerSecond,
  min(coalesce(api_key.submissions_per_minute, account.submissions_per_minute, :submissionsPerMinute),
    coalesce(api_key.owner_submissions_per_minute, ${noCap})) AS submissionsPerMinute`;

/**
 * The limits of its own that the key's account has, as `accountRequestsPerSecond` and `accountSubmissionsPerMinute`: what all
 * of its keys together may do. Null where it has none, and for what the command line gave the key, which stands beside them.
 */
export const sharedLimits = `
  CASE WHEN api_key.requests_per_second IS NULL THEN account.requests_per_second END AS accountRequestsPerSecond,
  CASE WHEN api_key.submissions_per_minute IS NULL THEN account.submissions_per_minute END AS accountSubmissionsPerMinute`;
