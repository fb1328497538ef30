/**
 * What an account is called, as an SQL expression of a row of `account`: its login at a code host, the latest one, else its name,
 * else its id.
 */
export const accountNameSql = `coalesce(
  (SELECT login FROM identity WHERE identity.account_id = account.id ORDER BY seen_ms DESC LIMIT 1), account.name, account.id)`;

/** The condition of a row of `account` that its owner has not deleted. */
export const isKept = "account.ending IS NOT 'deleted'";
