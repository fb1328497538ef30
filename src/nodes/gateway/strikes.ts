import type { Clock } from "../../lib/clock.ts";
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
  forget(nodeId: string): void;
};

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
  const strikesOf = new Map<string, number[]>();
  const lapsedMs = new Map<string, number>();

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
    store.write("quarantineNode", { id, untilMs, reason: told, nowMs }).catch(() => {
      // It stands in memory, as long as this gateway runs.
    });
  }

  return {
    noteAnswer: (nodeId, reason) => {
      diary.note(nodeId, "answer_refused", reason);
      strike(nodeId, reason);
    },
    noteLapse: (nodeId) => {
      diary.note(nodeId, "lease_lapsed", "the lease of a job was not renewed");
      const beforeMs = lapsedMs.get(nodeId);
      if (beforeMs !== undefined && beforeMs + stallMs > clock.elapsed()) return;
      lapsedMs.set(nodeId, clock.elapsed());
      strike(nodeId, "a lease that was not renewed");
    },
    forget: (nodeId) => {
      strikesOf.delete(nodeId);
      lapsedMs.delete(nodeId);
    },
  };
}

export const isQuarantined = (
  { quarantinedUntilMs }: NodeRecord,
  clock: Pick<Clock, "now">,
): boolean => quarantinedUntilMs !== null && quarantinedUntilMs > clock.now();
