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
const mostJobs = 1_000;

/** Whether to retry, and whom a failure counts against once another node answers. */
export class JobFailures {
  readonly #context: { clock: Clock; events: NodeEvents };
  readonly #rows = new Map<string, { failures: number; lastMs: number }>();
  readonly #codes = new Map<string, Map<string, string>>();

  constructor(context: { clock: Clock; events: NodeEvents }) {
    this.#context = context;
  }

  /** Returns the failure to store. */
  note(node: NodeRecord, job: string, reported: LeaseFailure, work: GatewayWork): LeaseFailure {
    const codes = this.#codes.get(job) ?? new Map<string, string>();
    const isConfirmed = [...codes].some(
      ([other, code]) => other !== node.id && code === reported.code,
    );
    const failures = this.inRow(node.id) + 1;
    this.#rows.set(node.id, { failures, lastMs: this.#context.clock.elapsed() });
    this.#codes.delete(job);
    this.#codes.set(job, codes.set(node.id, reported.code));
    const [oldest = ""] = this.#codes.keys();
    if (this.#codes.size > mostJobs) this.#codes.delete(oldest);
    return storedFailure(reported, work, node, isConfirmed);
  }

  noteDone(nodeId: string, job: string): void {
    this.#rows.delete(nodeId);
    const codes = this.#codes.get(job) ?? [];
    this.#codes.delete(job);
    for (const [other, code] of codes) {
      if (other === nodeId) continue;
      const reason = `${code}: failed a job that another node answered (job ${job})`;
      this.#context.events.note(other, "jobs_failed", reason);
    }
  }

  /** Since the last answer; 0 after a minute without failures. */
  inRow(nodeId: string): number {
    const row = this.#rows.get(nodeId);
    return row === undefined || row.lastMs + rowMs <= this.#context.clock.elapsed()
      ? 0
      : row.failures;
  }
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
  const quoted = (text: string) => `node ${name} reported: ${bounded(oneLine(text, code))}`;
  const isFinal = ofTheRequest.has(code)
    ? isConfirmed || (code === "invalid_query" && !isReadable(work))
    : mayBeBilled(capabilities, work) && !ofItsAccess.has(code);
  return {
    code,
    message: quoted(message),
    status,
    retryable: retryable || !isFinal,
    ...(hint === undefined ? {} : { hint: quoted(hint) }),
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
