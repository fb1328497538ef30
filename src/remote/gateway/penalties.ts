import { parseQuery } from "@earshot/query";
import type { LeaseFailure } from "../../jobs/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSearch } from "../../platforms/methods.ts";
import { isOfBillingPlatform, mayBeBilled } from "../capability.ts";
import type { GatewayWork, NodeGatewayContext } from "./context.ts";
import { type NodeEvents, oneLine } from "./node-events.ts";
import type { NodeRegistry } from "./node-registry.ts";
import type { NodeRecord } from "./node-store.ts";

const stalls = {
  lease_lapsed: "the lease of a job was not renewed",
  job_late: "it held a job until its time was over",
  restarted: "a run ended while it held jobs",
} as const;

export type Stall = keyof typeof stalls;

const windowMs = 600_000;
const stallMs = 30_000;
const rowMs = 60_000;
const longestQuarantineMs = 86_400_000;
/** Points of a refused answer or a stall. */
const fullPoints = 3;
/** Jobs with remembered failures; the least recently failed is dropped first. */
const mostJobs = 1_000;

type PenaltiesContext = Pick<NodeGatewayContext, "settings" | "clock" | "log"> & {
  known: NodeRegistry;
  events: NodeEvents;
};

type Errors = {
  points: readonly { atMs: number; points: number }[];
  stalledMs: number;
  row: { failures: number; lastMs: number };
};

/**
 * Sums points over ten minutes; the points of `settings.strikes` refused answers quarantine a node. A failure at a job that
 * another node answered counts a third.
 */
export class Penalties {
  readonly #context: PenaltiesContext;
  readonly #faults = new Map<string, Errors>();
  readonly #codes = new Map<string, Map<string, string>>();

  constructor(context: PenaltiesContext) {
    this.#context = context;
  }

  /** `reason` is for people. */
  noteRefusedAnswer(nodeId: string, reason: string): void {
    this.#context.events.note(nodeId, "answer_refused", reason);
    this.#add(nodeId, fullPoints, reason);
  }

  /** Stalls within 30 s count once. */
  noteStall(nodeId: string, stall: Stall): void {
    const { clock, events } = this.#context;
    if (stall !== "restarted") events.note(nodeId, stall, stalls[stall]);
    const errors = this.#faultsOf(nodeId);
    if (errors.stalledMs + stallMs > clock.elapsed()) return;
    errors.stalledMs = clock.elapsed();
    this.#add(nodeId, fullPoints, stalls[stall]);
  }

  /** Returns the failure to store. */
  noteFailure(
    node: NodeRecord,
    job: string,
    reported: LeaseFailure,
    work: GatewayWork,
  ): LeaseFailure {
    const codes = this.#codes.get(job) ?? new Map<string, string>();
    const isConfirmed = [...codes].some(
      ([other, code]) => other !== node.id && code === reported.code,
    );
    const failures = this.failuresInRow(node.id) + 1;
    this.#faultsOf(node.id).row = { failures, lastMs: this.#context.clock.elapsed() };
    this.#codes.delete(job);
    this.#codes.set(job, codes.set(node.id, reported.code));
    const [oldest = ""] = this.#codes.keys();
    if (this.#codes.size > mostJobs) this.#codes.delete(oldest);
    return storedFailure(reported, work, node, isConfirmed);
  }

  noteDone(nodeId: string, job: string): void {
    this.#faultsOf(nodeId).row = noRow;
    const codes = this.#codes.get(job) ?? [];
    this.#codes.delete(job);
    for (const [other, code] of codes) {
      if (other === nodeId) continue;
      const reason = `${code}: a failure at a job that another node answered (job ${job})`;
      this.#context.events.note(other, "jobs_failed", reason);
      this.#add(other, 1, reason);
    }
  }

  /** Failed jobs since the last answer; 0 after a minute without failures. */
  failuresInRow(nodeId: string): number {
    const { failures, lastMs } = this.#faults.get(nodeId)?.row ?? noRow;
    return lastMs + rowMs <= this.#context.clock.elapsed() ? 0 : failures;
  }

  forget(nodeId: string): void {
    this.#faults.delete(nodeId);
  }

  #faultsOf(nodeId: string): Errors {
    const errors = this.#faults.get(nodeId) ?? { points: [], stalledMs: -Infinity, row: noRow };
    // Only known nodes take up memory.
    if (this.#context.known.get(nodeId) !== undefined) this.#faults.set(nodeId, errors);
    return errors;
  }

  #add(nodeId: string, points: number, reason: string): void {
    const { known, clock, settings } = this.#context;
    const record = known.get(nodeId);
    if (record === undefined || isQuarantined(record, clock)) return;
    const atMs = clock.elapsed();
    const errors = this.#faultsOf(nodeId);
    const recent = errors.points.filter((one) => one.atMs > atMs - windowMs);
    errors.points = [...recent, { atMs, points }];
    const sum = errors.points.reduce((total, one) => total + one.points, 0);
    if (settings.quarantineMs === 0 || sum < settings.strikes * fullPoints) return;
    errors.points = [];
    this.#quarantine(record, reason);
  }

  #quarantine({ id, quarantines }: NodeRecord, lastReason: string): void {
    const { known, clock, settings, log } = this.#context;
    const nowMs = clock.now();
    const untilMs = nowMs + Math.min(settings.quarantineMs * 2 ** quarantines, longestQuarantineMs);
    const reason = `too many errors within ten minutes, the last: ${lastReason}`;
    log.warn({ node: id, reason, untilMs }, "a node is quarantined");
    known.quarantine({ id, untilMs, reason, nowMs });
  }
}

const noRow = { failures: 0, lastMs: -Infinity };

export const isQuarantined = (
  { quarantinedUntilMs }: NodeRecord,
  clock: Pick<Clock, "now">,
): boolean => quarantinedUntilMs !== null && quarantinedUntilMs > clock.now();

/** Errors of the request, which no node can answer. */
const ofTheRequest: ReadonlySet<string> = new Set([
  "cursor_invalid",
  "invalid_query",
  "platform_mismatch",
  "result_too_large",
  "search_not_sayable",
]);

/** Errors of the node's own access: nothing was billed, and another node may have other access. */
const ofItsAccess: ReadonlySet<string> = new Set([
  "budget_used_up",
  "credential_refused",
  "source_unavailable",
  "upstream_limited",
]);

const longestMessage = 300;

/**
 * Quotes the node's texts as bounded lines. Final if the request is invalid and another node (`isConfirmed`) or the gateway's
 * parser agrees, or if a retry might be billed again.
 */
export function storedFailure(
  { code, status, message, hint, retryable }: LeaseFailure,
  work: GatewayWork,
  { name, capabilities }: Pick<NodeRecord, "name" | "capabilities">,
  isConfirmed: boolean,
): LeaseFailure {
  const quoted = (text: string) => `node ${name} said: ${bounded(oneLine(text, code))}`;
  const mayBePaid = isOfBillingPlatform(work) && mayBeBilled(capabilities, work);
  const isFinal = ofTheRequest.has(code)
    ? isConfirmed || (code === "invalid_query" && !isReadable(work))
    : mayBePaid && !ofItsAccess.has(code);
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
