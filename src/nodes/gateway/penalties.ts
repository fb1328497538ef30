import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { isSearch } from "../../platforms/methods.ts";
import { parseQuery } from "../../query/parse.ts";
import { isOfBillingPlatform, mayBeBilled } from "../capability.ts";
import type { LeaseFailure } from "../lease.ts";
import type { GatewayWork, NodeGatewayContext } from "./context.ts";
import type { KnownNodes } from "./known-nodes.ts";
import { type NodeEvents, oneLine } from "./node-events.ts";
import type { NodeRecord } from "./node-store.ts";

/**
 * What a node does wrong, and its failures. One rule: points of the last ten minutes add up, and with as many as
 * `settings.strikes` refused answers make, the node is quarantined. A refused answer and a stall (leases not renewed, jobs held
 * past their deadline, a run restarted while it held jobs) count three points, a failure at a job that another node answered
 * counts one.
 */
export type Penalties = {
  /** A refused answer; `reason` is for people. */
  noteAnswer(nodeId: string, reason: string): void;
  /** What happens within 30 s counts once, however many jobs the node ran. */
  noteStall(nodeId: string, stall: Stall): void;
  /** A node has reported a failure of a job: the failure to store for the attempt. */
  noteFailure(
    node: NodeRecord,
    job: string,
    reported: LeaseFailure,
    work: GatewayWork,
  ): LeaseFailure;
  /** The job was answered, by that node. */
  noteDone(nodeId: string, job: string): void;
  /** At how many jobs the node has failed since it answered one; 0 once it has not failed for a minute. */
  failuresInRow(nodeId: string): number;
  /** Retries writing quarantines. Errors: those of the store. */
  writeAgain(): Promise<void>;
  forget(nodeId: string): void;
};

type Stall = "lease_lapsed" | "job_late" | "restarted";

const stalls: Readonly<Record<Stall, string>> = {
  lease_lapsed: "the lease of a job was not renewed",
  job_late: "it held a job until its time was over",
  restarted: "a run ended while it held jobs",
};

type Quarantine = { id: string; untilMs: number; reason: string; nowMs: number };

const windowMs = 600_000;
const stallMs = 30_000;
const rowMs = 60_000;
const longestQuarantineMs = 86_400_000;
/** Points of a refused answer or a stall. */
const fullPoints = 3;
/** Failed jobs that are remembered; the one that failed longest ago is forgotten first. */
const mostJobs = 1_000;

export function createPenalties(
  context: Pick<NodeGatewayContext, "settings" | "store" | "clock" | "log"> & {
    known: KnownNodes;
    events: NodeEvents;
  },
): Penalties {
  const { settings, store, clock, known, events } = context;
  const pointsOf = new Map<string, { atMs: number; points: number }[]>();
  const stalledMs = new Map<string, number>();
  const rows = new Map<string, { failures: number; lastMs: number }>();
  /** The codes that nodes reported for a job. */
  const failuresOf = new Map<string, Map<string, string>>();
  /** Quarantines that the store does not have yet. */
  const unwritten = new Map<string, Quarantine>();
  let writing: Promise<void> | null = null;

  function add(nodeId: string, points: number, reason: string): void {
    const record = known.get(nodeId);
    if (record === undefined || isQuarantined(record, clock)) return;
    const atMs = clock.elapsed();
    const recent = (pointsOf.get(nodeId) ?? []).filter((one) => one.atMs > atMs - windowMs);
    pointsOf.set(nodeId, [...recent, { atMs, points }]);
    const sum = recent.reduce((before, one) => before + one.points, points);
    if (sum >= settings.strikes * fullPoints) quarantine(record, reason);
  }

  function quarantine(record: NodeRecord, reason: string): void {
    pointsOf.delete(record.id);
    const { id, quarantines } = record;
    const lastsMs = Math.min(settings.quarantineMs * 2 ** quarantines, longestQuarantineMs);
    const nowMs = clock.now();
    const untilMs = nowMs + lastsMs;
    const told = `too many errors within ten minutes, the last: ${reason}`;
    known.put({
      ...record,
      quarantinedUntilMs: untilMs,
      quarantineReason: told,
      quarantines: quarantines + 1,
    });
    context.log.warn({ node: id, reason: told, untilMs }, "a node is quarantined");
    known.keepQuarantine(id);
    unwritten.set(id, { id, untilMs, reason: told, nowMs });
    writeAgain().catch((error: unknown) => {
      context.log.warn({ node: id, error: messageOf(error) }, "a quarantine could not be written");
    });
  }

  /** One after another: each is counted once. */
  async function writeAgain(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    await writing;
  }

  async function writeAll(): Promise<void> {
    for (const [id, quarantine] of unwritten) {
      await store.write("quarantineNode", quarantine);
      if (unwritten.get(id) !== quarantine) continue;
      unwritten.delete(id);
      known.quarantineWritten(id);
    }
  }

  function failuresInRow(nodeId: string): number {
    const row = rows.get(nodeId);
    return row === undefined || row.lastMs + rowMs <= clock.elapsed() ? 0 : row.failures;
  }

  return {
    noteAnswer: (nodeId, reason) => {
      events.note(nodeId, "answer_refused", reason);
      add(nodeId, fullPoints, reason);
    },
    noteStall: (nodeId, stall) => {
      const reason = stalls[stall];
      if (stall !== "restarted") events.note(nodeId, stall, reason);
      const beforeMs = stalledMs.get(nodeId);
      if (beforeMs !== undefined && beforeMs + stallMs > clock.elapsed()) return;
      stalledMs.set(nodeId, clock.elapsed());
      add(nodeId, fullPoints, reason);
    },
    noteFailure: (node, job, reported, work) => {
      const { id } = node;
      const codes = failuresOf.get(job) ?? new Map<string, string>();
      const isConfirmed = [...codes].some(
        ([other, code]) => other !== id && code === reported.code,
      );
      rows.set(id, { failures: failuresInRow(id) + 1, lastMs: clock.elapsed() });
      failuresOf.delete(job);
      failuresOf.set(job, codes.set(id, reported.code));
      for (const [oldest] of failuresOf) {
        if (failuresOf.size <= mostJobs) break;
        failuresOf.delete(oldest);
      }
      return storedFailure(reported, work, node, isConfirmed);
    },
    noteDone: (nodeId, job) => {
      rows.delete(nodeId);
      const codes = failuresOf.get(job);
      failuresOf.delete(job);
      for (const [other, code] of codes ?? []) {
        if (other === nodeId) continue;
        const reason = `${code}: a failure at a job that another node answered (job ${job})`;
        events.note(other, "jobs_failed", reason);
        add(other, 1, reason);
      }
    },
    failuresInRow,
    writeAgain,
    forget: (nodeId) => {
      for (const one of [pointsOf, stalledMs, rows, unwritten]) one.delete(nodeId);
    },
  };
}

export const isQuarantined = (
  { quarantinedUntilMs }: NodeRecord,
  clock: Pick<Clock, "now">,
): boolean => quarantinedUntilMs !== null && quarantinedUntilMs > clock.now();

/** What is wrong with the request, so that no node can answer it. */
const ofTheRequest: ReadonlySet<string> = new Set([
  "cursor_invalid",
  "invalid_query",
  "platform_mismatch",
  "result_too_large",
  "search_not_sayable",
]);

/** Errors of a node's own access: nothing was billed, and another node may have other access. */
const ofItsAccess: ReadonlySet<string> = new Set([
  "budget_used_up",
  "credential_refused",
  "source_unavailable",
  "upstream_limited",
]);

const longestMessage = 300;

/**
 * The failure of an attempt as its job stores it, the node's words quoted in one bounded line each. It is final where the
 * request is wrong and another node, or the gateway's own parser, agrees (`isConfirmed`), or where a platform may have billed
 * the request and would bill it again. Everything else is retried.
 */
export function storedFailure(
  failure: LeaseFailure,
  work: GatewayWork,
  { name, capabilities }: Pick<NodeRecord, "name" | "capabilities">,
  isConfirmed: boolean,
): LeaseFailure {
  const { code, status, message, hint, retryable } = failure;
  const quoted = (text: string) => `node ${name} said: ${bounded(oneLine(text, code))}`;
  const mayBePaid = isOfBillingPlatform(work) && mayBeBilled(capabilities, work);
  const isOfTheRequest = ofTheRequest.has(code);
  const isFinal = isOfTheRequest
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
