import type { Clock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import type { ErrorDetail } from "../../lib/errors.ts";
import type { NodeLog } from "./context.ts";
import type { NodeEvent } from "./node-event-operations.ts";
import { isQuarantined } from "./node-record.ts";
import type { NodeRegistry } from "./node-registry.ts";

type EventKind = { message: string; isWarning?: true; points?: number; isStall?: true };

/** Points of ten minutes add up. Stalls within 30 s count once. */
const kinds = {
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
  run_lost: { message: "a run ended with jobs", isWarning: true, points: 3, isStall: true },
} satisfies Record<string, EventKind>;

type Action = keyof typeof kinds;
type Errors = { points: readonly { atMs: number; points: number }[]; stalledMs: number };

const windowMs = 600_000;
const stallMs = 30_000;
const mostPoints = 9;
const firstQuarantineMs = 300_000;
const longestQuarantineMs = 86_400_000;
const mostWaiting = 1_000;
const longestDetail = 500;
const repeatMs = 600_000;
const mostRemembered = 10_000;

/** Quarantines nodes with too many errors. */
export class NodeEvents {
  readonly #context: { clock: Clock; log: NodeLog; known: NodeRegistry };
  #waiting: NodeEvent[] = [];
  readonly #refusedMs = new Map<string, number>();
  readonly #errors = new Map<string, Errors>();

  constructor(context: { clock: Clock; log: NodeLog; known: NodeRegistry }) {
    this.#context = context;
  }

  note(nodeId: string | null, action: Action, given?: string): void {
    const { clock, log } = this.#context;
    const kind: EventKind = kinds[action];
    const detail = oneLine(given ?? kind.message, "").slice(0, longestDetail);
    log[kind.isWarning ? "warn" : "info"]({ node: nodeId, detail }, kind.message);
    if (this.#waiting.length < mostWaiting) {
      this.#waiting.push({ atMs: clock.now(), nodeId, action, detail });
    }
    if (nodeId !== null && kind.points !== undefined) this.#penalise(nodeId, kind, detail);
  }

  /** Once in ten minutes per check and node; unknown nodes count as one. */
  noteRefusal(nodeId: string | null, address: string, { code, message }: ErrorDetail): void {
    const kind = `${code} ${nodeId}`;
    const nowMs = this.#context.clock.elapsed();
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

  forgive(nodeId: string): void {
    this.#errors.delete(nodeId);
  }

  #penalise(nodeId: string, { points = 0, isStall }: EventKind, detail: string): void {
    const { known, clock, log } = this.#context;
    const record = known.get(nodeId);
    if (record === undefined) return;
    const { points: before, stalledMs } = this.#errors.get(nodeId) ?? noErrors;
    const atMs = clock.elapsed();
    if (isStall && stalledMs + stallMs > atMs) return;
    const recent = isQuarantined(record, clock)
      ? []
      : [...before.filter((one) => one.atMs > atMs - windowMs), { atMs, points }];
    const isOver = recent.reduce((total, one) => total + one.points, 0) >= mostPoints;
    this.#errors.set(nodeId, {
      points: isOver ? [] : recent,
      stalledMs: isStall ? atMs : stalledMs,
    });
    if (!isOver) return;
    const nowMs = clock.now();
    const untilMs =
      nowMs + Math.min(firstQuarantineMs * 2 ** record.quarantines, longestQuarantineMs);
    const reason = `too many errors within ten minutes, last: ${detail}`;
    log.warn({ node: nodeId, reason, untilMs }, "quarantined a node");
    known.quarantine({ id: nodeId, untilMs, reason, nowMs });
  }
}

const noErrors: Errors = { points: [], stalledMs: Number.NEGATIVE_INFINITY };

/** Untrusted text as one line; `otherwise` if empty. */
export function oneLine(text: string, otherwise: string): string {
  const line = stripControls(text).replaceAll(/\s+/gu, " ").trim();
  return line === "" ? otherwise : line;
}
