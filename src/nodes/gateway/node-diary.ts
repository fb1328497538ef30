import type { Clock } from "../../lib/clock.ts";
import { withoutControls } from "../../text/controls.ts";
import type { NodeLog } from "./context.ts";
import type { NodeAction, NodeEvent } from "./event-rows.ts";
import { createRefusalFold, foldMs, type Refusal } from "./refusal-fold.ts";

/** Whoever is not let in is known, as one that an operator has decided about, or a stranger. */
export type Caller = "known" | "stranger";

/**
 * What happened to nodes, for the log and the store. What those make happen who are not let in is told a few times a minute and
 * counted otherwise, so that they neither fill the log nor push out what operators want to read; strangers keep nothing of what
 * is told of known nodes.
 */
export type NodeDiary = {
  note(nodeId: string | null, action: NodeAction, detail: string): void;
  /** That a node waits which nobody has decided about. */
  noteStranger(nodeId: string, detail: string): void;
  /** That someone was not let in. The same of the same node is told once, and then how often, every ten minutes. */
  noteRefusal(caller: Caller, refusal: Refusal): void;
  /** What is to be written; each is given once. */
  take(): readonly NodeEvent[];
};

/** Of nodes that wait, and of the refusals of known nodes and of strangers, each. */
const mostPerMinute = 30;
const mostWaiting = 1_000;
const longestDetail = 500;

export function createNodeDiary(clock: Clock, log: NodeLog): NodeDiary {
  let waiting: NodeEvent[] = [];
  const minuteOf = new Map<string, { endsMs: number; noted: number }>();
  const folds = { known: createRefusalFold(clock), stranger: createRefusalFold(clock) };

  function note(nodeId: string | null, action: NodeAction, detail: string): void {
    const text = oneLine(detail);
    const level = warnedOf.has(action) ? "warn" : "info";
    log[level]({ node: nodeId, detail: text }, messages[action]);
    if (waiting.length >= mostWaiting) return;
    waiting.push({ atMs: clock.now(), nodeId, action, detail: text });
  }

  /** Counts one more of that sort within the minute; false when there were enough. */
  function hasRoom(sort: string, action: NodeAction): boolean {
    let minute = minuteOf.get(sort);
    if (minute === undefined || minute.endsMs <= clock.elapsed()) {
      const untold = (minute?.noted ?? 0) - mostPerMinute;
      if (untold > 0) note(null, action, `${untold} more within a minute`);
      minute = { endsMs: clock.elapsed() + 60_000, noted: 0 };
      minuteOf.set(sort, minute);
    }
    minute.noted += 1;
    return minute.noted <= mostPerMinute;
  }

  function noteRefusal(caller: Caller, refusal: Refusal): void {
    const fold = folds[caller];
    if (fold.isRepeat(refusal) || !hasRoom(`refused ${caller}`, "refused")) return;
    note(refusal.nodeId, "refused", textOf(refusal));
    fold.begin(refusal);
  }

  function noteRepeats(): void {
    for (const fold of [folds.known, folds.stranger]) {
      for (const { refusal, count } of fold.takeCounted()) {
        const repeats = `the same ${count === 1 ? "once" : `${count} times`} more within ${foldMs / 60_000} minutes`;
        note(refusal.nodeId, "refused", `${repeats}: ${textOf(refusal)}`);
      }
    }
  }

  return {
    note,
    noteStranger: (nodeId, detail) => {
      if (hasRoom("pending", "pending")) note(nodeId, "pending", detail);
    },
    noteRefusal,
    take: () => {
      noteRepeats();
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

const warnedOf: ReadonlySet<NodeAction> = new Set([
  "refused",
  "replaced",
  "quarantined",
  "answer_refused",
  "lease_lapsed",
  "job_late",
  "jobs_failed",
]);

const messages: Readonly<Record<NodeAction, string>> = {
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
  jobs_failed: "a node failed at what others answered",
  spot_check: "two nodes answered the same search",
};

const textOf = ({ code, detail }: Refusal): string => `${code}: ${detail}`;

const oneLine = (text: string): string =>
  withoutControls(text).replaceAll("\n", " ").slice(0, longestDetail);
