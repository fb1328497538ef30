import type { EarshotError } from "../lib/errors.ts";

/** Errors of one source; another may still succeed. */
export const sourceErrorCodes: ReadonlySet<string> = new Set([
  "budget_used_up",
  "credential_refused",
  "paid_call_repeated",
  "search_not_sayable",
  "upstream_limited",
]);

export const searchErrorCode = ({ code }: EarshotError): string =>
  sourceErrorCodes.has(code) ? code : "upstream_failed";
