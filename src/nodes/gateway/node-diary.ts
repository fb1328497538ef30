import type { Clock } from "../../lib/clock.ts";
import { withoutControls } from "../../text/controls.ts";
import type { NodeLog } from "./context.ts";
import type { NodeAction, NodeEvent } from "./event-rows.ts";

/**
 * What happened to nodes, for the log and the store. What strangers make happen is told a few times a minute and counted
 * otherwise, so that they neither fill the log nor push out what operators want to read.
 */
export type NodeDiary = {
  note(nodeId: string | null, action: NodeAction, detail: string): void;
  /** The same, of someone who was not let in. */
  noteRefusal(nodeId: string | null, detail: string): void;
  /** What is to be written; each is given once. */
  take(): readonly NodeEvent[];
};

const mostRefusalsPerMinute = 30;
const mostWaiting = 1_000;
const longestDetail = 500;

export function createNodeDiary(clock: Clock, log: NodeLog): NodeDiary {
  let waiting: NodeEvent[] = [];
  let minute = { endsMs: 0, refusals: 0 };

  function note(nodeId: string | null, action: NodeAction, detail: string): void {
    const text = oneLine(detail);
    const level = warnedOf.has(action) ? "warn" : "info";
    log[level]({ node: nodeId, detail: text }, messages[action]);
    if (waiting.length >= mostWaiting) return;
    waiting.push({ atMs: clock.now(), nodeId, action, detail: text });
  }

  function noteRefusal(nodeId: string | null, detail: string): void {
    if (minute.endsMs <= clock.elapsed()) {
      const untold = minute.refusals - mostRefusalsPerMinute;
      if (untold > 0) note(null, "refused", `${untold} more within a minute`);
      minute = { endsMs: clock.elapsed() + 60_000, refusals: 0 };
    }
    minute.refusals += 1;
    if (minute.refusals <= mostRefusalsPerMinute) note(nodeId, "refused", detail);
  }

  return {
    note,
    noteRefusal,
    take: () => {
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
  spot_check: "two nodes answered the same search",
};

const oneLine = (text: string): string =>
  withoutControls(text).replaceAll("\n", " ").slice(0, longestDetail);
