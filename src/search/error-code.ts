import type { EarshotError } from "../lib/errors.ts";

/** Faults that whoever asked can do something about, each under its own code. */
const ownCodes = new Set([
  "budget_used_up",
  "credential_refused",
  "paid_call_repeated",
  "search_not_sayable",
  "upstream_limited",
]);

/** The code of the remark that a platform's fault leaves on an answer. */
export const codeOfError = ({ code }: EarshotError): string =>
  ownCodes.has(code) ? code : "upstream_failed";
