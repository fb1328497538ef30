import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Method, methodNames } from "../../platforms/methods.ts";
import type { Capability } from "../capability.ts";
import type { Eligibility } from "./eligibility.ts";
import { isQuarantined, type NodeRecord, type NodeState } from "./node-record.ts";
import type { Runs } from "./runs.ts";

export type NodeView = {
  id: string;
  name: string;
  keyId: string | null;
  evidence: EvidenceKind;
  state: NodeState | "quarantined";
  isConnected: boolean;
  capabilities: readonly Capability[];
  /** Polling now or recently, or fully occupied. */
  takes: readonly Method[];
  concurrency: number;
  running: number;
  version: string;
  attestationId: string | null;
  attestedMs: number | null;
  connectedMs: number | null;
  seenMs: number | null;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  jobsDone: number;
  jobsFailed: number;
};

export function viewOf(
  record: NodeRecord,
  { clock, runs, eligibility }: { clock: Clock; runs: Runs; eligibility: Eligibility },
): NodeView {
  const { state, attestationId, quarantinedUntilMs, quarantineReason } = record;
  const run = runs.ofNode(record.id);
  const isInQuarantine = isQuarantined(record, clock);
  return {
    id: record.id,
    name: record.name,
    keyId: run?.keyId ?? null,
    evidence: record.evidence,
    state: isInQuarantine && state === "approved" ? "quarantined" : state,
    isConnected: run !== undefined && eligibility.isConnected(run),
    capabilities: run === undefined ? record.capabilities : eligibility.capabilities(run),
    takes: methodNames.filter((method) => run !== undefined && eligibility.takes(run, method)),
    concurrency: record.concurrency,
    running: run === undefined ? 0 : eligibility.running(run),
    version: record.version,
    attestationId: state === "pending" ? null : attestationId,
    attestedMs: record.attestedMs,
    connectedMs: run?.connectedMs ?? null,
    seenMs: record.seenMs,
    quarantinedUntilMs: isInQuarantine ? quarantinedUntilMs : null,
    quarantineReason: isInQuarantine ? quarantineReason : null,
    jobsDone: record.jobsDone,
    jobsFailed: record.jobsFailed,
  };
}
