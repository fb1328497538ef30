import { Command } from "commander";
import { packageVersion } from "../server/version.ts";
import type { Terminal } from "./terminal.ts";

type AddCommand = (program: Command, terminal: Terminal) => void;

/** The commands, in the order in which the help lists them, each with the module that holds it. */
const commands: ReadonlyMap<string, () => Promise<AddCommand>> = new Map([
  ["serve", async () => (await import("./serve.ts")).addServe],
  ["node", async () => (await import("./node.ts")).addNode],
  ["demo", async () => (await import("./demo.ts")).addDemo],
  ["import", async () => (await import("./import.ts")).addImport],
  ["backfill", async () => (await import("./backfill.ts")).addBackfill],
  ["search", async () => (await import("./search.ts")).addSearch],
  ["counts", async () => (await import("./counts.ts")).addCounts],
  ["explain", async () => (await import("./explain.ts")).addExplain],
  ["archive", async () => (await import("./archive.ts")).addArchive],
  ["backup-control", async () => (await import("./backup-control.ts")).addBackupControl],
  ["check-control", async () => (await import("./check-control.ts")).addCheckControl],
  ["keys", async () => (await import("./keys.ts")).addKeys],
  ["accounts", async () => (await import("./accounts.ts")).addAccounts],
  ["audit", async () => (await import("./audit.ts")).addAudit],
  ["sign-in", async () => (await import("./sign-in.ts")).addSignIn],
  ["nodes", async () => (await import("./nodes.ts")).addNodes],
  ["credentials", async () => (await import("./credentials.ts")).addCredentials],
  ["verify", async () => (await import("./verify.ts")).addVerify],
]);

/**
 * The command line; parsing it runs the command. Of the command that is asked for it loads that one alone, as all of them take
 * a while; of any other word, and of none, all. Faults are thrown, also commander's own.
 */
export async function makeProgram(terminal: Terminal, asked: string | null): Promise<Command> {
  const program = new Command("earshot")
    .description("One search API over the public conversation of social platforms.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
      getOutHasColors: () => terminal.colour,
    })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nSettings are environment variables (docs/configuration.md); EARSHOT_DATA_DIR names the data folder.",
    );
  const known = asked === null ? undefined : commands.get(asked);
  const wanted = known === undefined ? [...commands.values()] : [known];
  for (const add of await Promise.all(wanted.map((load) => load()))) add(program, terminal);
  return program;
}
