import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import { readSecretKey } from "../../lib/secret-key.ts";
import type { Config } from "../../server/config.ts";
import { type ControlReport, checkControl } from "../../server/control/check-control.ts";
import { checksumProblem } from "../../server/control/control-checksum.ts";
import { readConfig } from "../settings.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { controlFilePath } from "./control-file.ts";

export function addControlCheck(control: Command, terminal: Terminal): void {
  control
    .command("check")
    .summary("check control.db or a backup of it")
    .description(
      "Checks control.db or a backup of it, and whether its secrets can be decrypted. Writes nothing. Exits with " +
        "1 if there are findings.",
    )
    .argument("[file]", "a backup; default: control.db")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  earshot control check\n  earshot control check /mnt/backups/control-2026-11-21.db",
    )
    .action((file: string | undefined, options: { json?: boolean }) =>
      check(file ?? null, options, terminal),
    );
}

async function check(
  file: string | null,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const config = readConfig(terminal);
  const path = file ?? controlFilePath(config);
  const report = await checkFile(path, file !== null, secretKeyOf(config));
  terminal.out(options.json ? `${JSON.stringify(asJson(report))}\n` : asText(path, report));
  if (report.findingCount === 0) return;
  throw new EarshotError("control_unsound", `${path} is damaged: ${findingsText(report)}`, {
    hint: "restore a backup: see Damage in docs/operations.md",
  });
}

async function checkFile(
  path: string,
  isBackup: boolean,
  secretKey: Uint8Array | null,
): Promise<ControlReport> {
  const report = checkControl(path, secretKey);
  const problem = isBackup && existsSync(path) ? await checksumProblem(path) : null;
  if (problem === null) return report;
  const finding = { kind: "checksum_differs", table: null, key: null, message: problem } as const;
  return {
    ...report,
    findings: [finding, ...report.findings],
    findingCount: report.findingCount + 1,
  };
}

function secretKeyOf({ data }: Config): Uint8Array | null {
  if (data.secretKey !== null && data.secretKey !== undefined) return data.secretKey;
  const path = join(data.dir, "secret.key");
  return existsSync(path) ? readSecretKey(readFileSync(path, "utf8")) : null;
}

const findingsText = ({ findingCount }: ControlReport): string =>
  findingCount === 1 ? "1 finding" : `${numberText(findingCount)} findings`;

function asText(path: string, report: ControlReport): string {
  const { tables, rows, findingCount } = report;
  const lines = report.findings.map(({ message }) => stripControls(message));
  const unlistedCount = findingCount - lines.length;
  if (unlistedCount > 0) lines.push(`… and ${numberText(unlistedCount)} more`);
  lines.push(
    `${path}: ${numberText(tables)} tables, ${numberText(rows)} rows: ${findingCount === 0 ? "no damage found" : findingsText(report)}`,
  );
  return `${lines.join("\n")}\n`;
}

const asJson = ({ tables, rows, findings, findingCount }: ControlReport) => ({
  sound: findingCount === 0,
  tables,
  rows,
  finding_count: findingCount,
  findings,
});
