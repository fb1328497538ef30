import type { Database, Steps } from "../../db/statements.ts";
import { invalidField } from "./errors.ts";
import type { DeploymentLimits, KeyLimits } from "./key.ts";
import type { KeyChoice } from "./own-operations.ts";
import type { OwnKey } from "./read-keys.ts";

/**
 * The owner can only restrict a key with higher rates than the account's. Errors:
 * `invalid_request`.
 */
export function* refuseWidenedKey(
  database: Database,
  key: OwnKey,
  { changes, limits }: { changes: Partial<KeyChoice>; limits: DeploymentLimits },
): Steps<void> {
  const { expiresMs, methods } = changes;
  const isLater = expiresMs !== undefined && computeEnd(expiresMs) > computeEnd(key.expiresMs);
  const hasMoreMethods = methods !== undefined && !isWithin(methods, key.methods);
  if (!isLater && !hasMoreMethods) return;
  const { accountId, id } = key;
  const keyRates = yield* highestOwnerRates(database, { accountId, id, limits });
  const accountRates = yield* highestOwnerRates(database, { accountId, id: null, limits });
  const isRaised =
    keyRates.requestsPerSecond > accountRates.requestsPerSecond ||
    keyRates.submissionsPerMinute > accountRates.submissionsPerMinute;
  if (!isRaised) return;
  const reason = "an operator gave this key higher limits than its account";
  if (isLater) {
    throw invalidField(
      "expires_at",
      `${reason}, so its expiry cannot be extended`,
      "send an earlier time, or ask the operator",
    );
  }
  throw invalidField(
    "methods",
    `${reason}, so its methods cannot be extended`,
    "send a subset of its methods, or ask the operator",
  );
}

const computeEnd = (expiresMs: number | null): number => expiresMs ?? Number.POSITIVE_INFINITY;

function isWithin(methods: KeyChoice["methods"], allowedMethods: OwnKey["methods"]): boolean {
  if (allowedMethods === null) return true;
  return methods?.every((method) => allowedMethods.includes(method)) ?? false;
}

/**
 * The highest rates that the owner may set: those an operator gave the key, else the account's, else
 * the deployment's.
 */
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
    throw rateTooHigh("requests_per_second", max.requestsPerSecond);
  }
  if (submissionsPerMinute !== null && submissionsPerMinute > max.submissionsPerMinute) {
    throw rateTooHigh("submissions_per_minute", max.submissionsPerMinute);
  }
}

function rateTooHigh(field: string, max: number) {
  return invalidField(
    field,
    `the maximum for this key is ${max}`,
    `send a number from 1 to ${max}, or null for the maximum; the operator can raise it`,
  );
}
