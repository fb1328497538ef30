import type { Database, Steps } from "../../db/statements.ts";
import type { DeploymentLimits } from "./effective-limits.ts";
import { invalidField } from "./errors.ts";
import type { KeyChoice } from "./own-operations.ts";
import type { OwnKey } from "./read-keys.ts";
import { highestOwnerRates } from "./refuse-raised.ts";

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
  const isMore = methods !== undefined && !isWithin(methods, key.methods);
  if (!isLater && !isMore) return;
  const { accountId, id } = key;
  const allowed = yield* highestOwnerRates(database, { accountId, id, limits });
  const account = yield* highestOwnerRates(database, { accountId, id: null, limits });
  const isRaised =
    allowed.requestsPerSecond > account.requestsPerSecond ||
    allowed.submissionsPerMinute > account.submissionsPerMinute;
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

function isWithin(methods: KeyChoice["methods"], key: OwnKey["methods"]): boolean {
  if (key === null) return true;
  return methods?.every((method) => key.includes(method)) ?? false;
}
