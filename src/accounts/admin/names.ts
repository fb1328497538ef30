/** An account's latest login, else its name, else its ID, as SQL over an `account` row. */
export const accountNameSql = `coalesce(
  (SELECT login FROM identity WHERE identity.account_id = account.id ORDER BY seen_ms DESC LIMIT 1), account.name, account.id)`;

export const isKept = "account.ending IS NOT 'deleted'";
