import { parseQueryLeniently } from "@earshot/query";
import { type QueryNode, renderDiagnostic } from "@earshot/query/tree";
import { invalidQueryError } from "../describe-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Prints diagnostics as notes. Errors: `invalid_query`. */
export function readTree(query: string, terminal: Pick<Terminal, "note">): QueryNode {
  const { tree, diagnostics } = parseQueryLeniently(query);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (tree === null || errors.length > 0) {
    for (const error of errors) terminal.note(`${renderDiagnostic(query, error)}\n\n`);
    throw invalidQueryError(errors.length);
  }
  for (const { message, hint } of diagnostics) {
    terminal.note(`earshot: ${message}${hint ? ` – ${hint}` : ""}\n`);
  }
  return tree;
}
