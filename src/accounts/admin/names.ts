/** SQL expression for an `account` row: its latest login, else its name, else its ID. */
export const accountNameSql = `coalesce(
  (SELECT login FROM identity WHERE identity.account_id = account.id ORDER BY seen_ms DESC LIMIT 1), account.name, account.id)`;

export const isNotDeletedSql = "account.ending IS NOT 'deleted'";
