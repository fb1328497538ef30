import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { copyControl } from "../../server/control/copy-control.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addCopy(control: Command, terminal: Terminal): void {
  control
    .command("copy")
    .summary("copy control.db to PostgreSQL")
    .description(
      "Copies control.db to an empty PostgreSQL database, for several gateways, and compares counts and " +
        "checksums of all tables (docs/scaling.md). Stop the server first. Can be interrupted and repeated.",
    )
    .option(
      "--to <url>",
      "the database; default: EARSHOT_DATABASE_URL, which hides the password from process lists",
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExample:\n  earshot control copy --to 'postgres://earshot@db.example/earshot?sslmode=verify-full'",
    )
    .action((options: { to?: string; json?: boolean }) => copy(options, terminal));
}

async function copy(options: { to?: string; json?: boolean }, terminal: Terminal): Promise<void> {
  const { data, database } = readConfig(terminal);
  const url = options.to ?? database.url;
  if (url === null) {
    throw wrongUse("control copy requires a database", "add --to, or set EARSHOT_DATABASE_URL");
  }
  if (!/^postgres(?:ql)?:\/\/./.test(url)) {
    throw wrongUse("--to must be a PostgreSQL URL", "use postgres://user:password@host/database");
  }
  const reports = startReports(terminal, systemClock, "copy");
  const tables = await copyControl({
    dataDir: data.dir,
    url,
    onProgress: (done, total) =>
      reports.update({ done, total, detail: `${numberText(done)} of ${numberText(total)} rows` }),
  }).finally(reports.end);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (options.json) {
    terminal.out(`${JSON.stringify({ rows, tables })}\n`);
    return;
  }
  const path = join(data.dir, "secret.key");
  const key = data.secretKey === null ? `set to the contents of ${path}` : "unchanged";
  terminal.out(
    `${numberText(rows)} rows in ${tables.length} tables copied and verified.\n` +
      `Start the gateways with EARSHOT_DATABASE_URL, and EARSHOT_SECRET_KEY ${key}.\n`,
  );
}
