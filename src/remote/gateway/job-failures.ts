import { parseQuery } from "@earshot/query";
import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSearch } from "../../platforms/methods.ts";
import { mayBeBilled } from "../capability.ts";
import type { GatewayWork } from "./context.ts";
import { type NodeEvents, oneLine } from "./node-events.ts";
import type { NodeRecord } from "./node-record.ts";

const rowMs = 60_000;
/** The least recently failed is dropped first. */
const maxJobs = 1_000;

export type JobFailures = ReturnType<typeof createJobFailures>;

/** Whether to retry, and whom a failure counts against once another node answers. */
export function createJobFailures({ clock, events }: { clock: Clock; events: NodeEvents }) {
  const rows = new Map<string, { failures: number; lastMs: number }>();
  const codesOf = new Map<string, Map<string, string>>();

  /** Failures since the last answer; 0 after a minute without any. */
  function inRow(nodeId: string): number {
    const row = rows.get(nodeId);
    return row === undefined || row.lastMs + rowMs <= clock.elapsed() ? 0 : row.failures;
  }

  return {
    inRow,

    /** Returns the failure to store. */
    note: (
      node: NodeRecord,
      job: string,
      reported: LeaseFailure,
      work: GatewayWork,
    ): LeaseFailure => {
      const codes = codesOf.get(job) ?? new Map<string, string>();
      const isConfirmed = [...codes].some(
        ([other, code]) => other !== node.id && code === reported.code,
      );
      rows.set(node.id, { failures: inRow(node.id) + 1, lastMs: clock.elapsed() });
      codesOf.delete(job);
      codesOf.set(job, codes.set(node.id, reported.code));
      const [oldest = ""] = codesOf.keys();
      if (codesOf.size > maxJobs) codesOf.delete(oldest);
      return storedFailure(reported, work, node, isConfirmed);
    },

    noteDone: (nodeId: string, job: string): void => {
      rows.delete(nodeId);
      const codes = codesOf.get(job) ?? [];
      codesOf.delete(job);
      for (const [other, code] of codes) {
        if (other === nodeId) continue;
        const reason = `${code}: failed a job that another node answered (job ${job})`;
        events.note(other, "jobs_failed", reason);
      }
    },
  };
}

/** Errors of the request, which no node can answer. */
const ofTheRequest: ReadonlySet<string> = new Set([
  "cursor_invalid",
  "invalid_query",
  "platform_mismatch",
  "result_too_large",
  "search_not_sayable",
]);

/** Nothing was billed, and another node may have other access. */
const ofItsAccess: ReadonlySet<string> = new Set([
  "budget_used_up",
  "credential_refused",
  "source_unavailable",
  "upstream_limited",
]);

const longestMessage = 300;

/**
 * Final if another node (`isConfirmed`) or the gateway's parser agrees that the request is invalid, or if a retry might be
 * billed again.
 */
export function storedFailure(
  { code, status, message, hint, retryable }: LeaseFailure,
  work: GatewayWork,
  { name, capabilities }: Pick<NodeRecord, "name" | "capabilities">,
  isConfirmed: boolean,
): LeaseFailure {
  const reportText = (text: string) => `node ${name} reported: ${bounded(oneLine(text, code))}`;
  const isFinal = ofTheRequest.has(code)
    ? isConfirmed || (code === "invalid_query" && !isReadable(work))
    : mayBeBilled(capabilities, work) && !ofItsAccess.has(code);
  return {
    code,
    message: reportText(message),
    status,
    retryable: retryable || !isFinal,
    ...(hint === undefined ? {} : { hint: reportText(hint) }),
  };
}

function isReadable({ method, query }: GatewayWork): boolean {
  if (!isSearch(method)) return true;
  try {
    parseQuery(query, { maxLength: Number.POSITIVE_INFINITY });
    return true;
  } catch {
    return false;
  }
}

const bounded = (text: string): string =>
  text.length <= longestMessage ? text : `${text.slice(0, longestMessage).toWellFormed()}…`;
