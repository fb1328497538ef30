import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isNotDeletedSql } from "./names.ts";

/**
 * By ID, else name, else `provider:login`. A bare login never matches, because users choose it.
 * Errors: `ambiguous_account`.
 */
export function* findAccountId(database: Database, account: string): Steps<string | null> {
  const [first, second] = yield* database.all<{ id: string; rank: number }>(
    `SELECT id, min(rank) AS rank FROM (
       SELECT id, 1 AS rank FROM account WHERE id = :account
       UNION ALL SELECT id, 2 FROM account WHERE name = :account
       UNION ALL SELECT account_id, 3 FROM identity WHERE lower(provider || ':' || login) = lower(:account)) AS named
     JOIN account USING (id) WHERE ${isNotDeletedSql} GROUP BY id ORDER BY 2 LIMIT 3`,
    { account },
  );
  if (first !== undefined && second?.rank === first.rank) throw ambiguousAccount(account);
  return first?.id ?? null;
}

const listHint = "find it with earshot accounts list";

export function unknownAccount(account: string, hint: string = listHint): EarshotError {
  return new EarshotError("account_not_found", `account ${JSON.stringify(account)} not found`, {
    status: 404,
    hint,
  });
}

export function* hasLogin(database: Database, login: string): Steps<boolean> {
  const row = yield* database.get(
    "SELECT 1 FROM identity WHERE lower(login) = lower(:login) LIMIT 1",
    { login },
  );
  return row !== undefined;
}

export function* accountHint(database: Database, account: string): Steps<string> {
  const login = yield* database.get<{ provider: string }>(
    "SELECT provider FROM identity WHERE lower(login) = lower(:account)",
    { account },
  );
  if (login !== undefined) return `use the login with its provider: ${login.provider}:${account}`;
  const key = yield* database.get<{ accountId: string; keys: number }>(
    "SELECT min(account_id) AS accountId, count(*) AS keys FROM api_key WHERE name = :account",
    { account },
  );
  if (key === undefined || key.keys === 0) return listHint;
  return key.keys === 1
    ? `use account ${key.accountId}, whose key has this name`
    : "several keys have this name; find their accounts with earshot keys list";
}

function ambiguousAccount(account: string): EarshotError {
  return new EarshotError(
    "ambiguous_account",
    `several accounts are named ${JSON.stringify(account)}`,
    { status: 409, hint: "use its id from earshot accounts list" },
  );
}
