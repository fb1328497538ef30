import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";

/** Errors: `last_operator`. */
export function* requireOtherOperator(database: Database, accountId: string): Steps<void> {
  const last = yield* database.get(
    `SELECT 1 FROM account WHERE id = :accountId AND role = 'operator' AND suspended_ms IS NULL AND NOT EXISTS
       (SELECT 1 FROM account AS other WHERE other.id <> :accountId AND other.role = 'operator' AND other.suspended_ms IS NULL)`,
    { accountId },
  );
  if (last === undefined) return;
  throw new EarshotError("last_operator", "the account is the last operator of this deployment", {
    status: 409,
    hint: "promote another account first: earshot accounts change NAME --role operator",
  });
}
