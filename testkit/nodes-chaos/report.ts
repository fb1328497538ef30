import type { ErrorReport } from "./faults.ts";
import type { Network } from "./network.ts";

export type StoreFindings = {
  /** Jobs known to clients, and their distinct uuids. */
  jobs: number;
  distinct: number;
  /** Jobs by state in the store. */
  states: Record<string, number>;
  /** Jobs leased more than once. */
  leasedAgain: number;
  /** Done jobs by node. */
  byNode: Record<string, number>;
  /** Most jobs of other keys leased while one of this key waited. */
  fairness: { key: string; jobs: number; most: number }[];
};

export type CheckedProof = { uuid: string; evidence: string; verdict: string };

export type ChaosReport = StoreFindings & {
  seed: number;
  network: Network["kind"];
  readySeconds: number;
  rushSeconds: number;
  faults: ErrorReport[];
  smallWaitsMs: number[];
  /** Upper bound: one turn per other key, plus concurrent leases. */
  mostTurns: number;
  contradictions: string[];
  proofs: CheckedProof[];
};
