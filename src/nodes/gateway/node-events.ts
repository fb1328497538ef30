import type { Database } from "../../db/open.ts";
import type { Clock } from "../../lib/clock.ts";
import { withoutControls } from "../../text/controls.ts";
import type { NodeLog } from "./context.ts";

const messages = {
  admitted: "a node has attested",
  pending: "a node waits for approval",
  refused: "a node was not let in",
  approved: "a node was approved",
  draining: "a node is drained",
  removed: "a node was removed",
  left: "a node has left",
  replaced: "another run of a node has attested",
  quarantined: "a node is quarantined",
  answer_refused: "an answer of a node was refused",
  lease_lapsed: "a node did not renew its lease",
  job_late: "a node held a job until its time was over",
  jobs_failed: "a node failed at what another answered",
} as const;

type NodeAction = keyof typeof messages;

/** Something that happened to a node, or to an unknown one: then `nodeId` is null. `detail` is for people. */
export type NodeEvent = {
  atMs: number;
  nodeId: string | null;
  /** A `NodeAction`, or one of an earlier version. */
  action: string;
  detail: string;
};

/** What happened to nodes, for the log and the store. */
export type NodeEvents = {
  note(nodeId: string | null, action: NodeAction, detail: string): void;
  /** The same check of the same node, or of the same address where the node is unknown, is noted once in ten minutes. */
  noteRefusal(refusal: {
    nodeId: string | null;
    address: string;
    code: string;
    message: string;
  }): void;
  /** What is to be written; each is given once. */
  take(): readonly NodeEvent[];
};

const warnings: ReadonlySet<NodeAction> = new Set([
  "refused",
  "replaced",
  "quarantined",
  "answer_refused",
  "lease_lapsed",
  "job_late",
  "jobs_failed",
]);

const mostWaiting = 1_000;
const longestDetail = 500;
const repeatMs = 600_000;
/** Refusals of unknown nodes that are noted a minute, from all addresses. */
const mostUnknownPerMinute = 30;
const mostRemembered = 10_000;

export function createNodeEvents(clock: Clock, log: NodeLog): NodeEvents {
  let waiting: NodeEvent[] = [];
  /** When each refusal was noted, the oldest first. */
  const refusedMs = new Map<string, number>();
  let minute = { startMs: Number.NEGATIVE_INFINITY, noted: 0 };

  function note(nodeId: string | null, action: NodeAction, detail: string): void {
    const text = oneLine(detail, "").slice(0, longestDetail);
    log[warnings.has(action) ? "warn" : "info"]({ node: nodeId, detail: text }, messages[action]);
    if (waiting.length >= mostWaiting) return;
    waiting.push({ atMs: clock.now(), nodeId, action, detail: text });
  }

  function isRepeat(key: string): boolean {
    const nowMs = clock.elapsed();
    const before = refusedMs.get(key);
    if (before !== undefined && before + repeatMs > nowMs) return true;
    refusedMs.delete(key);
    refusedMs.set(key, nowMs);
    for (const [oldest] of refusedMs) {
      if (refusedMs.size <= mostRemembered) break;
      refusedMs.delete(oldest);
    }
    return false;
  }

  function hasRoom(): boolean {
    const nowMs = clock.elapsed();
    if (minute.startMs + 60_000 <= nowMs) minute = { startMs: nowMs, noted: 0 };
    minute.noted += 1;
    return minute.noted <= mostUnknownPerMinute;
  }

  return {
    note,
    noteRefusal: ({ nodeId, address, code, message }) => {
      if (isRepeat(`${code} ${nodeId ?? address}`) || (nodeId === null && !hasRoom())) return;
      note(nodeId, "refused", `${code}: ${message} (${address})`);
    },
    take: () => {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

/** So many of the newest events are stored. */
const storedEvents = 10_000;

/** Appends events and deletes the oldest beyond `storedEvents`. */
export function insertEvents(database: Database, events: readonly NodeEvent[]): void {
  for (const event of events) {
    database.run(
      "INSERT INTO node_event(at_ms, node_id, action, detail) VALUES(:atMs, :nodeId, :action, :detail)",
      { ...event },
    );
  }
  database.run(
    "DELETE FROM node_event WHERE id <= (SELECT max(id) FROM node_event) - :storedEvents",
    { storedEvents },
  );
}

/** What a node says of itself, as one line for people; `otherwise` where nothing is left of it. */
export function oneLine(text: string, otherwise: string): string {
  const line = withoutControls(text).replaceAll(/\s+/gu, " ").trim();
  return line === "" ? otherwise : line;
}
