import { EarshotError } from "../../lib/errors.ts";

/** Quoted in the error message; null for other errors. */
export function refusedOperator(error: unknown, query: string): string | null {
  if (!(error instanceof EarshotError) || error.code !== "upstream_refused") return null;
  const [, operator] =
    /operator[^'"]{0,40}['"]((?:is|has):[a-z_]{1,40}|[a-z_]{1,40}):?['"]/i.exec(error.message) ??
    [];
  return operator !== undefined && query.includes(operator) ? operator : null;
}
