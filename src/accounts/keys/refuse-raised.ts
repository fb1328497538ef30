import type { Database, Steps } from "../../db/statements.ts";
import type { DeploymentLimits } from "./effective-limits.ts";
import { invalidField } from "./errors.ts";
import type { KeyLimits } from "./key.ts";

/** The highest rates that the owner may set: the key's from the command line, else the account's. */
export function* highestOwnerRates(
  database: Database,
  request: { accountId: string; id: string | null; limits: DeploymentLimits },
): Steps<DeploymentLimits> {
  const { accountId, id, limits } = request;
  const { requestsPerSecond, submissionsPerMinute } = limits;
  const row = yield* database.get<DeploymentLimits>(
    `SELECT coalesce(api_key.requests_per_second, account.requests_per_second, :requestsPerSecond) AS requestsPerSecond,
       coalesce(api_key.submissions_per_minute, account.submissions_per_minute, :submissionsPerMinute) AS submissionsPerMinute
     FROM account LEFT JOIN api_key ON account_id = account.id AND api_key.id = :id
     WHERE account.id = :accountId`,
    { accountId, id, requestsPerSecond, submissionsPerMinute },
  );
  return row ?? limits;
}

/** Errors: `invalid_request`. */
export function refuseRaisedRates(request: Partial<KeyLimits>, max: DeploymentLimits): void {
  const { requestsPerSecond = null, submissionsPerMinute = null } = request;
  if (requestsPerSecond !== null && requestsPerSecond > max.requestsPerSecond) {
    throw raised("requests_per_second", max.requestsPerSecond);
  }
  if (submissionsPerMinute !== null && submissionsPerMinute > max.submissionsPerMinute) {
    throw raised("submissions_per_minute", max.submissionsPerMinute);
  }
}

function raised(field: string, max: number) {
  return invalidField(
    field,
    `the maximum for this key is ${max}`,
    `send a number from 1 to ${max}, or null for the maximum; the operator can raise it`,
  );
}
