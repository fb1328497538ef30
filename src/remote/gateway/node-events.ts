import type { Clock } from "../../lib/clock.ts";
import { withoutControls } from "../../lib/controls.ts";
import type { ErrorDetail } from "../../lib/errors.ts";
import type { NodeLog } from "./context.ts";
import type { NodeEvent } from "./node-store.ts";

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
  credential_released: "a credential was released to a node",
} as const;

type NodeAction = keyof typeof messages;

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
const mostRemembered = 10_000;

export class NodeEvents {
  readonly #clock: Clock;
  readonly #log: NodeLog;
  #waiting: NodeEvent[] = [];
  readonly #refusedMs = new Map<string, number>();

  constructor({ clock, log }: { clock: Clock; log: NodeLog }) {
    this.#clock = clock;
    this.#log = log;
  }

  note(nodeId: string | null, action: NodeAction, detail: string): void {
    const text = oneLine(detail, "").slice(0, longestDetail);
    const level = warnings.has(action) ? "warn" : "info";
    this.#log[level]({ node: nodeId, detail: text }, messages[action]);
    if (this.#waiting.length >= mostWaiting) return;
    this.#waiting.push({ atMs: this.#clock.now(), nodeId, action, detail: text });
  }

  /** At most once in ten minutes per check and node; all unknown nodes count as one. */
  noteRefusal(nodeId: string | null, address: string, { code, message }: ErrorDetail): void {
    const kind = `${code} ${nodeId}`;
    const nowMs = this.#clock.elapsed();
    const beforeMs = this.#refusedMs.get(kind);
    if (beforeMs !== undefined && beforeMs + repeatMs > nowMs) return;
    if (this.#refusedMs.size >= mostRemembered) this.#refusedMs.clear();
    this.#refusedMs.set(kind, nowMs);
    this.note(nodeId, "refused", `${code}: ${message} (${address})`);
  }

  take(): readonly NodeEvent[] {
    const used = this.#waiting;
    this.#waiting = [];
    return used;
  }
}

/** Untrusted text as one line; `otherwise` if empty. */
export function oneLine(text: string, otherwise: string): string {
  const line = withoutControls(text).replaceAll(/\s+/gu, " ").trim();
  return line === "" ? otherwise : line;
}
