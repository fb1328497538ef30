import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { Config } from "../../server/config.ts";
import { readConfig } from "../settings.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { checkFolder } from "./check-folder.ts";
import { type DoctorFinding, ok } from "./finding.ts";

type Options = { offline?: boolean; json?: boolean };

export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description(
      "Checks what a server needs: Node, settings, folder, disk, stores, the servers that it calls, the clock " +
        "and credentials. Prints a fix for each problem. Can run alongside a server. Exits with 1 if there is an " +
        "error.",
    )
    .option("--offline", "do not call other servers")
    .option("--json", "print one JSON object per finding")
    .addHelpText("after", "\nExamples:\n  earshot doctor\n  earshot doctor --offline --json")
    .action((options: Options) => doctor(options, terminal));
}

async function doctor({ offline, json }: Options, terminal: Terminal): Promise<void> {
  let errors = 0;
  for await (const finding of collectFindings(offline ?? false, terminal)) {
    if (finding.level === "error") errors += 1;
    terminal.out(json ? `${JSON.stringify(finding)}\n` : asText(finding, terminal));
  }
  if (errors === 0) return;
  throw new EarshotError("not_ready", errors === 1 ? "1 error" : `${errors} errors`, {
    hint: "apply the fix listed with each",
  });
}

async function* collectFindings(
  offline: boolean,
  terminal: Terminal,
): AsyncGenerator<DoctorFinding> {
  yield ok("Node", process.version);
  const result = readSettings(terminal);
  if (!("config" in result)) {
    yield* result.findings;
    return;
  }
  const { config } = result;
  yield ok("settings", "valid");
  yield* await checkFolder(config);
  const { url } = config.database;
  if (url !== null) {
    const { checkDatabase } = await import("./check-database.ts");
    yield* await checkDatabase(config, url);
  }
  if (offline) return;
  const { openUpstreamClient } = await import("../../server/roles/upstream-client.ts");
  const { checkNetwork } = await import("./check-network.ts");
  const client = openUpstreamClient(config);
  try {
    yield* await checkNetwork(config, client.fetch, systemClock.now, terminal.stopSignal);
  } finally {
    await client.close();
  }
  if (url === null && !existsSync(join(config.data.dir, "control.db"))) return;
  const { checkPlatformCredentials } = await import("./check-credentials.ts");
  yield* await checkPlatformCredentials(terminal, config);
}

function readSettings(terminal: Terminal): { config: Config } | { findings: DoctorFinding[] } {
  try {
    return { config: readConfig(terminal) };
  } catch (thrown) {
    const problems = thrown instanceof EarshotError ? thrown.details : undefined;
    const settingProblems = problems ?? [{ message: errorMessage(thrown), hint: undefined }];
    const hint = thrown instanceof EarshotError ? thrown.hint : undefined;
    return {
      findings: settingProblems.map((problem) => ({
        level: "error",
        subject: "settings",
        message: problem.message,
        fix: problem.hint ?? hint ?? "see docs/configuration.md",
      })),
    };
  }
}

function asText(finding: DoctorFinding, terminal: Terminal): string {
  const { dim, bold } = painter(terminal);
  const { level, subject, message } = finding;
  const mark = level === "ok" ? dim("ok     ") : bold(level.padEnd(7));
  const fix = finding.level === "ok" ? "" : `\n         fix: ${finding.fix}`;
  return `${mark}  ${stripControls(`${subject}: ${message}${fix}`)}\n`;
}
