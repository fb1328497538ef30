import { isOfBillingPlatform, mayBeBilled } from "../capability.ts";
import type { LeaseFailure } from "../lease.ts";
import type { GatewayWork } from "./context.ts";
import type { NodeRecord } from "./node-store.ts";
import { oneLine } from "./one-line.ts";

/** What is wrong with what was asked, so that no node can answer it. */
const ofTheRequest: ReadonlySet<string> = new Set([
  "cursor_invalid",
  "invalid_query",
  "platform_mismatch",
  "result_too_large",
  "search_not_sayable",
]);

/** Faults of a node's own ways to ask: nothing was billed, and another node may have others. */
const ofItsWays: ReadonlySet<string> = new Set([
  "budget_used_up",
  "credential_refused",
  "source_unavailable",
  "upstream_limited",
]);

const longestMessage = 300;

/**
 * Why a node has no answer, as its job keeps it: its words are told as the node's, in one bounded line each. A node does not say
 * that nobody can answer: what it calls final is so where the request itself is at fault, or where a platform may have been paid
 * that would be paid again; everything else is tried elsewhere.
 */
export function toldFailure(
  failure: LeaseFailure,
  work: GatewayWork,
  { name, capabilities }: Pick<NodeRecord, "name" | "capabilities">,
): LeaseFailure {
  const { code, status, message, hint, retryable } = failure;
  const told = (text: string) => `node ${name} said: ${bounded(oneLine(text, code))}`;
  const mayBePaid = isOfBillingPlatform(work) && mayBeBilled(capabilities, work);
  const isFinal = ofTheRequest.has(code) || (mayBePaid && !ofItsWays.has(code));
  return {
    code,
    message: told(message),
    status,
    retryable: retryable || !isFinal,
    ...(hint === undefined ? {} : { hint: told(hint) }),
  };
}

const bounded = (text: string): string =>
  text.length <= longestMessage ? text : `${text.slice(0, longestMessage).toWellFormed()}…`;
