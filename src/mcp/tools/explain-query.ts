import { parseQueryLeniently } from "@earshot/query";
import { describeTree, printQuery, renderDiagnostic } from "@earshot/query/tree";
import * as z from "zod";
import type { Tool } from "../tool.ts";
import { quoteText } from "../untrusted.ts";

const input = z.object({ query: z.string().max(4_096) });

const output = z.object({
  valid: z.boolean(),
  canonical_query: z.string().nullable(),
  problems: z.array(
    z.object({ severity: z.string(), message: z.string(), offset: z.int(), length: z.int() }),
  ),
});

export const explainQuery: Tool<typeof input, typeof output> = {
  name: "explain_query",
  title: "Check a query",
  description:
    "Shows how a query is parsed, with the position of each error and warning, without searching. Free. Use it if a search was rejected or found something unexpected.",
  input,
  output,
  run: async ({ query }) => {
    const { tree, diagnostics } = parseQueryLeniently(query);
    const isValid = tree !== null && diagnostics.every(({ severity }) => severity !== "error");
    const canonicalQuery = isValid ? printQuery(tree) : null;
    const problems = diagnostics.map(({ severity, message, offset, length }) => ({
      severity,
      message,
      offset,
      length,
    }));
    const text = [
      isValid ? "The query is valid." : "The query has errors.",
      ...(canonicalQuery === null ? [] : ["In canonical form:", quoteText(canonicalQuery)]),
      ...(isValid ? ["Parsed as:", quoteText(describeTree(tree))] : []),
      ...diagnostics.map((diagnostic) => renderDiagnostic(query, diagnostic)),
    ];
    return {
      structured: { valid: isValid, canonical_query: canonicalQuery, problems },
      text: text.join("\n"),
    };
  },
};
