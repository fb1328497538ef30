/**
 * An independent implementation of the query language from docs/query-language.md alone: simple, without an index,
 * without shared code.
 */
import type { AnalyzedPost } from "./analyze.ts";
import { compileTest } from "./match.ts";
import { parse } from "./parse.ts";
import type { OracleContext } from "./types.ts";

export { type AnalyzedPost, analyzePost } from "./analyze.ts";
export type { OracleContext, OraclePost } from "./types.ts";

/** @throws Error if the query is invalid or empty. */
export function compileOracle(
  query: string,
  context: OracleContext,
): (post: AnalyzedPost) => boolean {
  const parsedQuery = parse(query);
  if (!parsedQuery) throw new Error(`nothing to search for: ${query}`);
  return compileTest(parsedQuery, context) ?? (() => true);
}
