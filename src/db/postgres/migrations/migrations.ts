import { control011 } from "../../migrations/011-audit-filters.ts";
import { accountSpending } from "./account-spending.ts";
import { controlTables } from "./control-tables.ts";
import { keyRequests } from "./key-requests.ts";
import { changeNotifications } from "./notify-changes.ts";
import { oauthGrants } from "./oauth-grants.ts";
import { rateFunctions, withoutRates } from "./rates.ts";
import { sqliteFunctions } from "./sqlite-functions.ts";

/** `oldest`: the first schema whose code works with the tables. */
export type PostgresMigration = { sql: string; oldest: number };

/** Never change a released one; append. */
export const postgresMigrations: readonly PostgresMigration[] = [
  { sql: sqliteFunctions + controlTables + changeNotifications, oldest: 1 },
  { sql: oauthGrants, oldest: 1 },
  { sql: withoutRates + rateFunctions, oldest: 3 },
  { sql: keyRequests, oldest: 3 },
  { sql: control011, oldest: 3 },
  { sql: accountSpending, oldest: 3 },
];
