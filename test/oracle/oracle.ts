/**
 * An independent implementation of the query language from docs/query-language.md alone: simple, without an index,
 * without shared code.
 */
import type { AnalyzedPost } from "./analyze.ts";
import { testOf } from "./match.ts";
import { parse } from "./parse.ts";
import type { OracleAround } from "./types.ts";

export { type AnalyzedPost, analyzePost } from "./analyze.ts";
export type { OracleAround, OraclePost } from "./types.ts";

/** @throws Error if the query is invalid or empty. */
export function compileOracle(
  query: string,
  around: OracleAround,
): (post: AnalyzedPost) => boolean {
  const read = parse(query);
  if (!read) throw new Error(`nothing to search for: ${query}`);
  return testOf(read, around) ?? (() => true);
}
