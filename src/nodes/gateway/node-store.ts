import type { Capability } from "../capability.ts";
import type { EvidenceKind } from "../evidence/evidence.ts";

/**
 * `pending` until an operator approves it, or at once `approved` where the policy names its machine. `draining` gets no more
 * work. `removed` is refused for good.
 */
export const nodeStates = ["pending", "approved", "draining", "removed"] as const;
export type NodeState = (typeof nodeStates)[number];

/** A node as the control store knows it; times are Unix milliseconds. */
export type NodeRecord = {
  id: string;
  identityKey: string;
  name: string;
  state: NodeState;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  /** Jobs that it runs at a time. */
  concurrency: number;
  /** Where it listens for searches (specification 4.4); null where it does not. */
  url: string | null;
  version: string;
  createdMs: number;
  seenMs: number;
  attestedMs: number;
  attestationId: string;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  jobsDone: number;
  jobsFailed: number;
};
