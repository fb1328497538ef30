import type { Clock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import type { ErrorDetail } from "../../lib/errors.ts";
import type { NodeLog } from "./context.ts";
import type { NodeRegistry } from "./node-directory.ts";
import { isQuarantined } from "./node-record.ts";
import type { NodeEvent } from "./node-store.ts";

type EventKind = { message: string; isWarning?: true; points?: number; isStall?: true };

/**
 * A node is quarantined if its points within ten minutes reach `maxPoints`. Several stalls within
 * 30 s count as one.
 */
const eventKinds = {
  admitted: { message: "a node attested" },
  pending: { message: "a node awaits approval" },
  left: { message: "a node left" },
  credential_released: { message: "released a credential to a node" },
  refused: { message: "refused a node", isWarning: true },
  replaced: { message: "another run of a node attested", isWarning: true },
  answer_refused: { message: "rejected an answer", isWarning: true, points: 3 },
  jobs_failed: { message: "another node answered a failed job", isWarning: true, points: 1 },
  lease_lapsed: { message: "a lease was not renewed", isWarning: true, points: 3, isStall: true },
  job_late: { message: "a job passed its deadline", isWarning: true, points: 3, isStall: true },
  run_lost: {
    message: "a run ended with unfinished jobs",
    isWarning: true,
    points: 3,
    isStall: true,
  },
} satisfies Record<string, EventKind>;

type Action = keyof typeof eventKinds;
type Penalties = { points: readonly { atMs: number; points: number }[]; stalledMs: number };

const windowMs = 600_000;
const stallMs = 30_000;
const maxPoints = 9;
const firstQuarantineMs = 300_000;
const maxQuarantineMs = 86_400_000;
const maxQueuedEvents = 1_000;
const maxDetailLength = 500;
const repeatMs = 600_000;
const maxRefusals = 10_000;

export type NodeEvents = ReturnType<typeof createNodeEvents>;

export function createNodeEvents({
  clock,
  log,
  registry,
}: {
  clock: Clock;
  log: NodeLog;
  registry: NodeRegistry;
}) {
  let queuedEvents: NodeEvent[] = [];
  const refusalTimes = new Map<string, number>();
  const penalties = new Map<string, Penalties>();

  function record(nodeId: string | null, action: Action, text?: string): void {
    const kind: EventKind = eventKinds[action];
    const detail = oneLine(text ?? kind.message, "").slice(0, maxDetailLength);
    log[kind.isWarning ? "warn" : "info"]({ node: nodeId, detail }, kind.message);
    if (queuedEvents.length < maxQueuedEvents)
      queuedEvents.push({ atMs: clock.now(), nodeId, action, detail });
    if (nodeId !== null && kind.points !== undefined) penalise(nodeId, kind, detail);
  }

  function penalise(nodeId: string, { points = 0, isStall }: EventKind, detail: string): void {
    const record = registry.get(nodeId);
    if (record === undefined) return;
    const { points: earlierPoints, stalledMs } = penalties.get(nodeId) ?? noPenalties;
    const atMs = clock.elapsed();
    if (isStall && stalledMs + stallMs > atMs) return;
    const recentPoints = isQuarantined(record, clock)
      ? []
      : [...earlierPoints.filter((one) => one.atMs > atMs - windowMs), { atMs, points }];
    const isOverLimit = recentPoints.reduce((total, one) => total + one.points, 0) >= maxPoints;
    penalties.set(nodeId, {
      points: isOverLimit ? [] : recentPoints,
      stalledMs: isStall ? atMs : stalledMs,
    });
    if (!isOverLimit) return;
    const nowMs = clock.now();
    const untilMs = nowMs + Math.min(firstQuarantineMs * 2 ** record.quarantines, maxQuarantineMs);
    const reason = `too many errors within ten minutes, last: ${detail}`;
    log.warn({ node: nodeId, reason, untilMs }, "quarantined a node");
    registry.quarantine({ id: nodeId, untilMs, reason, nowMs });
  }

  return {
    record,

    /** Records at most one every ten minutes per code and node; unknown nodes count as one. */
    recordRefusal: (
      nodeId: string | null,
      address: string,
      { code, message }: ErrorDetail,
    ): void => {
      const key = `${code} ${nodeId}`;
      const nowMs = clock.elapsed();
      const lastMs = refusalTimes.get(key);
      if (lastMs !== undefined && lastMs + repeatMs > nowMs) return;
      if (refusalTimes.size >= maxRefusals) refusalTimes.clear();
      refusalTimes.set(key, nowMs);
      record(nodeId, "refused", `${code}: ${message} (${address})`);
    },

    take: (): readonly NodeEvent[] => {
      const batch = queuedEvents;
      queuedEvents = [];
      return batch;
    },

    clearPenalties: (nodeId: string): void => {
      penalties.delete(nodeId);
    },
  };
}

const noPenalties: Penalties = { points: [], stalledMs: Number.NEGATIVE_INFINITY };

/** Turns untrusted text into one line; `fallback` replaces an empty line. */
export function oneLine(text: string, fallback: string): string {
  const line = stripControls(text).replaceAll(/\s+/gu, " ").trim();
  return line === "" ? fallback : line;
}
