import { InvalidQueryError, type ParseOptions, parseQuery } from "@earshot/query";
import type { ParsedQuery } from "@earshot/query/tree";
import { EarshotError } from "../lib/errors.ts";

/** Errors: `invalid_query` (400): the message is the first error, `details` has all of them. */
export function parseSearchQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  try {
    return parseQuery(text, options);
  } catch (thrown) {
    throw thrown instanceof InvalidQueryError ? invalidQuery(thrown) : thrown;
  }
}

function invalidQuery({ message, diagnostics }: InvalidQueryError): EarshotError {
  const { hint } = diagnostics[0];
  return new EarshotError("invalid_query", message, {
    status: 400,
    ...(hint === undefined ? {} : { hint }),
    details: diagnostics.map(({ severity: _, ...detail }) => detail),
  });
}
