import { control009 } from "../../migrations/009-oauth-grants.ts";
import { control010 } from "../../migrations/010-key-requests.ts";
import { control011 } from "../../migrations/011-audit-filters.ts";
import { control012 } from "../../migrations/012-account-spending.ts";
import { controlTables } from "./control-tables.ts";
import { fromSqlite } from "./from-sqlite.ts";
import { changeNotifications } from "./notify-changes.ts";
import { rateFunctions, withoutRates } from "./rates.ts";
import { sqliteFunctions } from "./sqlite-functions.ts";

/** `oldest`: the first schema whose code works with the tables. */
export type PostgresMigration = { sql: string; oldest: number };

/** Never change a released migration; append. */
export const postgresMigrations: readonly PostgresMigration[] = [
  { sql: sqliteFunctions + controlTables + changeNotifications, oldest: 1 },
  { sql: fromSqlite(control009), oldest: 1 },
  { sql: withoutRates + rateFunctions, oldest: 3 },
  { sql: fromSqlite(control010), oldest: 3 },
  { sql: fromSqlite(control011), oldest: 3 },
  { sql: fromSqlite(control012), oldest: 3 },
];
