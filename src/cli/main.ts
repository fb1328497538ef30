import { spawn } from "node:child_process";
import { describeError, exitCode, wrongUse } from "./describe-error.ts";
import { commandNames, makeProgram } from "./program.ts";
import { stopOnSignals } from "./terminal/signals.ts";
import { processTerminal, type Terminal } from "./terminal/terminal.ts";

export async function runCommandLine(): Promise<void> {
  exitQuietlyOnClosedPipe();
  const argv = process.argv.slice(2);
  const args = argv.filter((word) => word !== "--no-pager");
  const screen = processTerminal(stopOnSignals());
  const pagedOutput = pageOutput(args.length === argv.length ? args[0] : undefined, screen);
  process.exitCode = await run(args, pagedOutput.terminal);
  await pagedOutput.flush();
}

/** Returns the exit code (describe-error.ts). Never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (args.length === 0)
      throw wrongUse("earshot requires a command", "run earshot --help for a list");
    const words = withoutUnknownHelp(args);
    const program = await makeProgram(terminal, words[0] === "help" ? words[1] : words[0]);
    await program.parseAsync([...words], { from: "user" });
    return exitCode.ok;
  } catch (thrown) {
    const { line, code } = describeError(thrown);
    if (line !== null) terminal.note(line);
    return code;
  }
}

/** `help serv` fails like `serv`, with a suggestion. */
const withoutUnknownHelp = (args: readonly string[]): readonly string[] =>
  args[0] === "help" && args[1] !== undefined && !commandNames.includes(args[1])
    ? args.slice(1)
    : args;

/** `earshot search … | head` closes the pipe early. */
function exitQuietlyOnClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCode.ok);
    throw error;
  });
}

const pagedCommands = new Set(["search", "counts", "explain", "audit", "help"]);

type Screen = Pick<Terminal, "out" | "interactive" | "rows" | "environment">;

/** Like git, sends output that is longer than the screen to PAGER, or `less`, once the command has ended. */
export function pageOutput<T extends Screen>(
  command: string | undefined,
  terminal: T,
): { terminal: T; flush(): Promise<void> } {
  const { PAGER: pager = "less", TERM } = terminal.environment;
  const { interactive, rows } = terminal;
  const isPaged =
    interactive && pagedCommands.has(command ?? "") && pager !== "" && TERM !== "dumb";
  if (!isPaged || rows === undefined) return { terminal, flush: async () => undefined };
  let text = "";
  const out = (piece: string): void => {
    text += piece;
  };
  const flush = async (): Promise<void> => {
    if (text.split("\n").length <= rows) terminal.out(text);
    else if (!(await showInPager(pager, text, terminal.environment))) terminal.out(text);
  };
  return { terminal: { ...terminal, out }, flush };
}

/** False if the pager could not be run. */
function showInPager(
  pager: string,
  text: string,
  environment: Terminal["environment"],
): Promise<boolean> {
  const env = { LESS: "FRX", ...environment };
  const child = spawn(pager, { shell: true, env, stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(text);
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code !== 127));
  });
}
