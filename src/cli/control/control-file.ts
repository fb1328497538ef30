import { join } from "node:path";
import { EarshotError } from "../../lib/errors.ts";
import type { Config } from "../../server/config.ts";

/** Errors: `control_in_database` if the control store is in PostgreSQL. */
export function controlFilePath({ data, database }: Pick<Config, "data" | "database">): string {
  if (database.url === null) return join(data.dir, "control.db");
  throw new EarshotError(
    "control_in_database",
    "EARSHOT_DATABASE_URL is set: accounts, keys and jobs are in PostgreSQL, not in control.db",
    { hint: "use PostgreSQL's tools, such as pg_dump and pg_amcheck (docs/scaling.md)" },
  );
}
