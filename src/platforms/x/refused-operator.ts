import { EarshotError } from "../../lib/errors.ts";

/**
 * The operator of a query that X has refused as one that this application may not use; null when that is not why. X names it in
 * quotation marks.
 */
export function refusedOperator(fault: unknown, query: string): string | null {
  if (!(fault instanceof EarshotError) || fault.code !== "upstream_refused") return null;
  const [, operator] =
    /operator[^'"]{0,40}['"]((?:is|has):[a-z_]{1,40}|[a-z_]{1,40}):?['"]/i.exec(fault.message) ??
    [];
  return operator !== undefined && query.includes(operator) ? operator : null;
}
