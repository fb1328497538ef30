import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addDemo } from "./demo.ts";
import { addExplain } from "./explain.ts";
import { addImport } from "./import.ts";
import { addKeys } from "./keys.ts";
import { addSearch } from "./search.ts";
import { addServe } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

/** The whole command line; parsing it runs the command. Faults are thrown, also commander's own. */
export function makeProgram(terminal: Terminal): Command {
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
  addServe(program, terminal);
  addDemo(program, terminal);
  addImport(program, terminal);
  addSearch(program, terminal);
  addExplain(program, terminal);
  addKeys(program, terminal);
  return program;
}

/** The version that package.json states; it lies two folders up, both from `src/cli` and from `dist/cli`. */
function packageVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest ? String(manifest.version) : "unknown";
}
