import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { NodeGatewayContext } from "./context.ts";
import type { KnownNodes } from "./known-nodes.ts";
import type { NodeDiary } from "./node-diary.ts";
import type { NodeRecord } from "./node-store.ts";

/** Counts what a node does wrong; too much of it within ten minutes, and it gets no work for a while. */
export type Strikes = {
  /** A wrong answer; `reason` is for people. */
  noteAnswer(nodeId: string, reason: string): void;
  /** A lease that was not renewed. Those of one stall count once, however many jobs the node ran. */
  noteLapse(nodeId: string): void;
  /** A job that the node held until its time was over; counts as a lapse does, and with those of the same stall. */
  noteLate(nodeId: string): void;
  /** A run was started anew without a word while it held jobs; counts as a lapse does, and with those of the same stall. */
  noteStartedAnew(nodeId: string): void;
  /** Failures that speak against the node; `reason` is for people. */
  noteFailures(nodeId: string, reason: string): void;
  /** Writes again what could not be written. Errors: those of the store. */
  writeAgain(): Promise<void>;
  forget(nodeId: string): void;
};

type Quarantine = { id: string; untilMs: number; reason: string; nowMs: number };

const windowMs = 600_000;
/** A node that stands still loses all of its leases within this time. */
const stallMs = 30_000;
const longestQuarantineMs = 86_400_000;

export function createStrikes(
  context: Pick<NodeGatewayContext, "settings" | "store" | "clock" | "log"> & {
    known: KnownNodes;
    diary: NodeDiary;
  },
): Strikes {
  const { settings, store, clock, known, diary } = context;
  // What the store does not know yet, by nodes: until then it stands in memory.
  const unwritten = new Map<string, Quarantine>();
  let writing: Promise<void> | null = null;
  const strikesOf = new Map<string, number[]>();
  const stalledMs = new Map<string, number>();

  function strike(nodeId: string, reason: string): void {
    const record = known.get(nodeId);
    if (record === undefined || isQuarantined(record, clock)) return;
    const sinceMs = clock.elapsed() - windowMs;
    const strikes = (strikesOf.get(nodeId) ?? []).filter((atMs) => atMs > sinceMs);
    strikes.push(clock.elapsed());
    strikesOf.set(nodeId, strikes);
    if (strikes.length >= settings.strikes) quarantine(record, reason);
  }

  function quarantine(record: NodeRecord, reason: string): void {
    strikesOf.delete(record.id);
    const { id, quarantines } = record;
    const lastsMs = Math.min(settings.quarantineMs * 2 ** quarantines, longestQuarantineMs);
    const nowMs = clock.now();
    const untilMs = nowMs + lastsMs;
    const told = `${settings.strikes} faults within ten minutes, the last: ${reason}`;
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

  function strikeOncePerStall(nodeId: string, reason: string): void {
    const beforeMs = stalledMs.get(nodeId);
    if (beforeMs !== undefined && beforeMs + stallMs > clock.elapsed()) return;
    stalledMs.set(nodeId, clock.elapsed());
    strike(nodeId, reason);
  }

  return {
    noteAnswer: (nodeId, reason) => {
      diary.note(nodeId, "answer_refused", reason);
      strike(nodeId, reason);
    },
    noteLapse: (nodeId) => {
      diary.note(nodeId, "lease_lapsed", "the lease of a job was not renewed");
      strikeOncePerStall(nodeId, "a lease that was not renewed");
    },
    noteLate: (nodeId) => {
      diary.note(nodeId, "job_late", "the time of a job was over before it was answered");
      strikeOncePerStall(nodeId, "a job that it held until its time was over");
    },
    noteStartedAnew: (nodeId) => strikeOncePerStall(nodeId, "a run that ended while it held jobs"),
    noteFailures: (nodeId, reason) => {
      diary.note(nodeId, "jobs_failed", reason);
      strike(nodeId, reason);
    },
    writeAgain,
    forget: (nodeId) => {
      strikesOf.delete(nodeId);
      stalledMs.delete(nodeId);
      unwritten.delete(nodeId);
    },
  };
}

export const isQuarantined = (
  { quarantinedUntilMs }: NodeRecord,
  clock: Pick<Clock, "now">,
): boolean => quarantinedUntilMs !== null && quarantinedUntilMs > clock.now();
