import type { EarshotError } from "../lib/errors.ts";

/** Errors that the caller can act on, each with its own code. */
const ownCodes = new Set([
  "budget_used_up",
  "credential_refused",
  "paid_call_repeated",
  "search_not_sayable",
  "upstream_limited",
]);

export const codeOfError = ({ code }: EarshotError): string =>
  ownCodes.has(code) ? code : "upstream_failed";
