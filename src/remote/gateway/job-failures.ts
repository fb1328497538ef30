import { parseQuery } from "@earshot/query";
import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSearch } from "../../platforms/methods.ts";
import { mayBeBilled } from "../capability.ts";
import type { GatewayWork } from "./context.ts";
import { type NodeEvents, oneLine } from "./node-events.ts";
import type { NodeRecord } from "./node-record.ts";

const streakMs = 60_000;
/** The least recently failed job is dropped first. */
const maxJobs = 1_000;

export type JobFailures = ReturnType<typeof createJobFailures>;

/** Decides whether a failed job is retried, and counts a failure against its node once another node answers the job. */
export function createJobFailures({ clock, events }: { clock: Clock; events: NodeEvents }) {
  const streaks = new Map<string, { failures: number; lastMs: number }>();
  const codesByJob = new Map<string, Map<string, string>>();

  /** Failures since the node's latest answer; 0 after a minute without a failure. */
  function consecutiveFailures(nodeId: string): number {
    const streak = streaks.get(nodeId);
    return streak === undefined || streak.lastMs + streakMs <= clock.elapsed()
      ? 0
      : streak.failures;
  }

  return {
    consecutiveFailures,

    record: (
      node: NodeRecord,
      job: string,
      reportedFailure: LeaseFailure,
      work: GatewayWork,
    ): LeaseFailure => {
      const codes = codesByJob.get(job) ?? new Map<string, string>();
      const isConfirmed = [...codes].some(
        ([other, code]) => other !== node.id && code === reportedFailure.code,
      );
      streaks.set(node.id, { failures: consecutiveFailures(node.id) + 1, lastMs: clock.elapsed() });
      codesByJob.delete(job);
      codesByJob.set(job, codes.set(node.id, reportedFailure.code));
      const [oldestJob = ""] = codesByJob.keys();
      if (codesByJob.size > maxJobs) codesByJob.delete(oldestJob);
      return storedFailure(reportedFailure, work, node, isConfirmed);
    },

    recordDone: (nodeId: string, job: string): void => {
      streaks.delete(nodeId);
      const codes = codesByJob.get(job) ?? [];
      codesByJob.delete(job);
      for (const [other, code] of codes) {
        if (other === nodeId) continue;
        const reason = `${code}: failed a job that another node answered (job ${job})`;
        events.record(other, "jobs_failed", reason);
      }
    },
  };
}

/** Errors in the request, which no node can answer. */
const requestErrors: ReadonlySet<string> = new Set([
  "cursor_invalid",
  "invalid_query",
  "platform_mismatch",
  "result_too_large",
  "search_not_sayable",
]);

/** Errors after which nothing was billed, and another node may have other access. */
const accessErrors: ReadonlySet<string> = new Set([
  "budget_used_up",
  "credential_refused",
  "source_unavailable",
  "upstream_limited",
]);

const maxMessageLength = 300;

/**
 * A failure stays final if another node (`isConfirmed`) or the gateway's parser agrees that the
 * request is invalid, or if a retry might be billed again.
 */
export function storedFailure(
  { code, status, message, hint, retryable }: LeaseFailure,
  work: GatewayWork,
  { name, capabilities }: Pick<NodeRecord, "name" | "capabilities">,
  isConfirmed: boolean,
): LeaseFailure {
  const reportText = (text: string) => `node ${name} reported: ${truncate(oneLine(text, code))}`;
  const isFinal = requestErrors.has(code)
    ? isConfirmed || (code === "invalid_query" && !isParsable(work))
    : mayBeBilled(capabilities, work) && !accessErrors.has(code);
  return {
    code,
    message: reportText(message),
    status,
    retryable: retryable || !isFinal,
    ...(hint === undefined ? {} : { hint: reportText(hint) }),
  };
}

function isParsable({ method, query }: GatewayWork): boolean {
  if (!isSearch(method)) return true;
  try {
    parseQuery(query, { maxLength: Number.POSITIVE_INFINITY });
    return true;
  } catch {
    return false;
  }
}

const truncate = (text: string): string =>
  text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength).toWellFormed()}…`;
