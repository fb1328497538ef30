/**
 * A second, independent meaning of the query language, made from docs/query-language.md alone: for
 * one query and one post it says whether the post matches. It is plain rather than fast, holds no
 * index, and shares no code with the product.
 */
import type { AnalyzedPost } from "./analyze.ts";
import { testOf } from "./match.ts";
import { parse } from "./parse.ts";
import type { OracleAround } from "./types.ts";

export { type AnalyzedPost, analyzePost } from "./analyze.ts";
export type { OracleAround, OraclePost } from "./types.ts";

/**
 * Reads a query once; what it returns says of each post whether it matches.
 *
 * @throws Error when the query is not valid or asks for nothing.
 */
export function compileOracle(
  query: string,
  around: OracleAround,
): (post: AnalyzedPost) => boolean {
  const read = parse(query);
  if (!read) throw new Error(`nothing to search for: ${query}`);
  return testOf(read, around) ?? (() => true);
}
