import { Command } from "commander";
import { packageVersion } from "../server/version.ts";
import type { Terminal } from "./terminal/terminal.ts";

type AddCommand = (
  program: Command,
  terminal: Terminal,
  loadAll: () => Promise<readonly Command[]>,
) => void;

type KnownCommand = { summary: string; load(): Promise<AddCommand> };

/** Commands in the order of the help, loaded on demand, because loading is slow. */
const commands: ReadonlyMap<string, KnownCommand> = new Map<string, KnownCommand>([
  [
    "serve",
    {
      summary: "run the whole service in this process",
      load: async () => (await import("./serve.ts")).addServe,
    },
  ],
  [
    "node",
    {
      summary: "run a node that leases jobs from a remote gateway",
      load: async () => (await import("./nodes/node.ts")).addNode,
    },
  ],
  [
    "demo",
    {
      summary: "demonstrate searches offline, on fictional posts",
      load: async () => (await import("./demo.ts")).addDemo,
    },
  ],
  [
    "import",
    {
      summary: "import posts from files",
      load: async () => (await import("./import/import.ts")).addImport,
    },
  ],
  [
    "backfill",
    {
      summary: "fetch posts of accounts or of a time range",
      load: async () => (await import("./import/backfill.ts")).addBackfill,
    },
  ],
  [
    "search",
    {
      summary: "search an archive or a service",
      load: async () => (await import("./search/search.ts")).addSearch,
    },
  ],
  [
    "counts",
    {
      summary: "count posts over time",
      load: async () => (await import("./search/counts.ts")).addCounts,
    },
  ],
  [
    "explain",
    {
      summary: "show how a query is parsed and what it costs",
      load: async () => (await import("./search/explain.ts")).addExplain,
    },
  ],
  [
    "login",
    {
      summary: "use a service from this command line",
      load: async () => (await import("./login.ts")).addLogin,
    },
  ],
  [
    "logout",
    {
      summary: "forget the service and its key",
      load: async () => (await import("./login.ts")).addLogout,
    },
  ],
  [
    "mcp",
    {
      summary: "serve AI agents over the Model Context Protocol",
      load: async () => (await import("./mcp.ts")).addMcp,
    },
  ],
  [
    "archive",
    {
      summary: "maintain the archive",
      load: async () => (await import("./archive.ts")).addArchive,
    },
  ],
  [
    "control",
    {
      summary: "maintain the control store",
      load: async () => (await import("./control.ts")).addControl,
    },
  ],
  [
    "keys",
    {
      summary: "create, list, rotate and revoke API keys",
      load: async () => (await import("./accounts/keys.ts")).addKeys,
    },
  ],
  [
    "accounts",
    {
      summary: "list, change, suspend and delete accounts",
      load: async () => (await import("./accounts/accounts.ts")).addAccounts,
    },
  ],
  [
    "audit",
    {
      summary: "show the audit log",
      load: async () => (await import("./accounts/audit.ts")).addAudit,
    },
  ],
  [
    "sign-in",
    {
      summary: "print a link that signs in to the dashboard",
      load: async () => (await import("./accounts/sign-in.ts")).addSignIn,
    },
  ],
  [
    "nodes",
    {
      summary: "approve, show, drain and remove nodes",
      load: async () => (await import("./nodes/nodes.ts")).addNodes,
    },
  ],
  [
    "credentials",
    {
      summary: "manage platform credentials",
      load: async () => {
        const { addCredentialsCommand } = await import("./credentials/credentials.ts");
        return (program, terminal) => addCredentialsCommand(program, terminal);
      },
    },
  ],
  [
    "doctor",
    {
      summary: "check what a server needs on this machine",
      load: async () => (await import("./doctor/doctor.ts")).addDoctor,
    },
  ],
  [
    "completion",
    {
      summary: "print a completion script for a shell",
      load: async () => (await import("./completion/completion.ts")).addCompletion,
    },
  ],
  [
    "verify",
    {
      summary: "check the proof of a result offline",
      load: async () => (await import("./nodes/verify.ts")).addVerify,
    },
  ],
]);

export const commandNames: readonly string[] = [...commands.keys()];

/**
 * Adds only the requested command, or else the summaries of all. Parsing throws all errors,
 * including commander's.
 */
export async function makeProgram(
  terminal: Terminal,
  requestedName: string | undefined,
): Promise<Command> {
  const program = new Command("earshot")
    .description("One search API over the public conversation of social platforms.")
    .version(packageVersion(), "-V, --version", "print the version")
    .option("--no-pager", "print long output without a pager (PAGER)")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print help for a command")
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
  const command = requestedName === undefined ? undefined : commands.get(requestedName);
  if (command === undefined) {
    for (const [name, { summary }] of commands) program.command(name).summary(summary);
    return program;
  }
  const add = await command.load();
  add(program, terminal, () => loadAll(terminal));
  program.commands.at(-1)?.summary(command.summary);
  return program;
}

async function loadAll(terminal: Terminal): Promise<readonly Command[]> {
  const programs = await Promise.all(commandNames.map((name) => makeProgram(terminal, name)));
  return programs.flatMap(({ commands: programCommands }) => programCommands);
}
