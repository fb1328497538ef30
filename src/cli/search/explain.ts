import { parseQueryLeniently } from "@earshot/query";
import {
  describePlan,
  makePlan,
  namesIn,
  type PlanNode,
  type UnresolvedNames,
  unresolvedNames,
} from "@earshot/query/plan";
import {
  type Diagnostic,
  describeTree,
  printQuery,
  type QueryNode,
  renderDiagnostic,
} from "@earshot/query/tree";
import type { Command } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { invalidQueryError, wrongUse } from "../describe-error.ts";
import { parseWholeNumber } from "../parse-values.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import type { Analysis } from "./analysis.ts";
import { analysisFields, planFields } from "./explain-json.ts";
import { addQueryArgument, readQueryArgument } from "./query-argument.ts";
import { showAnalysis } from "./show-analysis.ts";

type Options = { analyze?: boolean; maxResults?: number; json?: boolean };

const defaultMaxResults = 20;

export function addExplain(program: Command, terminal: Terminal): void {
  addQueryArgument(program.command("explain"))
    .description(
      "Shows a query's canonical form, tree, plan, and every error and warning with its position. --analyze runs " +
        "it on the archive in the data folder and shows the index lookups, rechecks, work and time of each step. " +
        "An invalid query exits with code 2.",
    )
    .option("--analyze", "run the query and show the work done")
    .option(
      "--max-results <number>",
      `with --analyze: maximum number of posts, 1..500 (default: ${defaultMaxResults})`,
      parseWholeNumber(1, 500),
    )
    .option(
      "--json",
      "print one JSON object: query, canonical_query, tree, plan, diagnostics, and with --analyze analysis",
    )
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot explain 'lang:en cats OR dogs -filter:retweets'\n" +
        "  earshot explain --analyze 'aurora min_faves:50' --max-results 100",
    )
    .action((_query: string, options: Options, command: Command) =>
      explain(readQueryArgument(command), options, terminal),
    );
}

type ParsedQuery = {
  query: string;
  tree: QueryNode | null;
  canonicalQuery: string | null;
  plan: PlanNode | null;
  diagnostics: readonly Diagnostic[];
};

async function explain(query: string, options: Options, terminal: Terminal): Promise<void> {
  if (options.maxResults !== undefined && !options.analyze) {
    throw wrongUse("--max-results requires --analyze", "add --analyze");
  }
  const startMs = systemClock.elapsed();
  const { tree, diagnostics } = parseQueryLeniently(query);
  const parseMs = systemClock.elapsed() - startMs;
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (tree === null || errors.length > 0) {
    show(
      { query, tree: null, canonicalQuery: null, plan: null, diagnostics },
      null,
      null,
      options,
      terminal,
    );
    throw invalidQueryError(errors.length);
  }
  const parsedQuery = { query, tree, canonicalQuery: printQuery(tree), diagnostics };
  if (options.analyze) {
    const limit = options.maxResults ?? defaultMaxResults;
    // Only running a query needs the archive.
    const { analyze } = await import("./analyze.ts");
    const analysis = await analyze({ tree, parseMs, limit }, terminal);
    show({ ...parsedQuery, plan: analysis.plan }, null, analysis, options, terminal);
  } else {
    const unresolved = unresolvedNames(namesIn(tree));
    const plan = makePlan(tree, { names: unresolved.names, asOfMs: systemClock.now() });
    show({ ...parsedQuery, plan }, unresolved, null, options, terminal);
  }
}

function show(
  parsedQuery: ParsedQuery,
  unresolved: UnresolvedNames | null,
  analysis: Analysis | null,
  { json }: Options,
  terminal: Terminal,
): void {
  if (json) terminal.out(`${asJson(parsedQuery, unresolved, analysis)}\n`);
  else terminal.out(asText(parsedQuery, unresolved, analysis, terminal));
}

function asJson(
  { query, canonicalQuery, tree, plan, diagnostics }: ParsedQuery,
  unresolved: UnresolvedNames | null,
  analysis: Analysis | null,
): string {
  return JSON.stringify({
    query,
    canonical_query: canonicalQuery,
    tree,
    plan: plan && planFields(plan, unresolved),
    diagnostics,
    ...(analysis === null ? {} : { analysis: analysisFields(analysis) }),
  });
}

function asText(
  { query, canonicalQuery, tree, plan, diagnostics }: ParsedQuery,
  unresolved: UnresolvedNames | null,
  analysis: Analysis | null,
  terminal: Terminal,
): string {
  const { bold } = painter(terminal);
  const blocks: string[] = [];
  if (canonicalQuery !== null) blocks.push(bold(stripControls(canonicalQuery)));
  if (tree !== null) blocks.push(stripControls(describeTree(tree)));
  if (plan !== null) {
    blocks.push(`${bold("Plan")}\n${stripControls(describePlan(plan, unresolved))}`);
  }
  for (const diagnostic of diagnostics) blocks.push(renderDiagnostic(query, diagnostic));
  if (analysis !== null) blocks.push(showAnalysis(analysis, terminal));
  return `${blocks.join("\n\n")}\n`;
}
