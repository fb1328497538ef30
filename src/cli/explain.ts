import type { Command } from "commander";
import { EarshotError } from "../lib/errors.ts";
import { describeTree } from "../query/describe.ts";
import { renderDiagnostic } from "../query/diagnostics.ts";
import { parseQueryLeniently } from "../query/parse.ts";
import { printQuery } from "../query/print.ts";
import { queryOf, takesQuery } from "./query-argument.ts";
import { painter, type Terminal } from "./terminal.ts";

/** `earshot explain`: how a query is read, without running it. */
export function addExplain(program: Command, terminal: Terminal): void {
  takesQuery(program.command("explain"))
    .summary("show how a query is read")
    .description(
      "Shows how a query is read: its canonical form, its tree, and every error and warning with its place. A query that " +
        "cannot be run ends with exit code 2.",
    )
    .option("--json", "print one JSON object: query, canonical_query, tree, diagnostics")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot explain 'lang:en cats OR dogs -filter:retweets'\n" +
        "  earshot explain 'since:2026-02-30' --json",
    )
    .action((_query: string, options: { json?: boolean }, command: Command) =>
      explain(queryOf(command), options, terminal),
    );
}

function explain(query: string, options: { json?: boolean }, terminal: Terminal): void {
  const { tree, diagnostics } = parseQueryLeniently(query);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const readable = errors.length === 0 ? tree : null;
  const canonical = readable && printQuery(readable);
  if (options.json) {
    const answer = { query, canonical_query: canonical, tree: readable, diagnostics };
    terminal.out(`${JSON.stringify(answer)}\n`);
  } else {
    const { bold } = painter(terminal);
    if (readable !== null) terminal.out(`${bold(canonical ?? "")}\n\n${describeTree(readable)}\n`);
    for (const [index, diagnostic] of diagnostics.entries()) {
      const gap = readable !== null || index > 0 ? "\n" : "";
      terminal.out(`${gap}${renderDiagnostic(query, diagnostic)}\n`);
    }
  }
  if (errors.length > 0) throw refused(errors.length);
}

function refused(count: number): EarshotError {
  const errors = count === 1 ? "an error" : `${count} errors`;
  return new EarshotError("invalid_query", `the query has ${errors} and cannot be run`, {
    status: 400,
    hint: "mend what is marked above",
  });
}
