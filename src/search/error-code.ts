import type { EarshotError } from "../lib/errors.ts";

const ownCodes = new Set([
  "budget_used_up",
  "credential_refused",
  "paid_call_repeated",
  "search_not_sayable",
  "upstream_limited",
]);

export const codeOfError = ({ code }: EarshotError): string =>
  ownCodes.has(code) ? code : "upstream_failed";
