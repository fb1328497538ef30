import type { InjectedFault } from "./faults.ts";
import type { Network } from "./network.ts";

export type StoreFindings = {
  jobs: number;
  distinct: number;
  states: Record<string, number>;
  /** Jobs that were leased more than once. */
  leasedAgain: number;
  byNode: Record<string, number>;
  /** At most `most` jobs of other keys were leased while one of this key waited. */
  fairness: { key: string; jobs: number; most: number }[];
};

export type CheckedProof = { uuid: string; evidence: string; verdict: string };

/** `responses`: the gateway's, counted by status. */
export type ByzantineReport = { fault: string; responses: Record<number, number> };

export type ChaosReport = StoreFindings & {
  seed: number;
  network: Network["kind"];
  readySeconds: number;
  loadSeconds: number;
  faults: InjectedFault[];
  smallWaitsMs: number[];
  /** Limit for `most`: one turn per other key, plus concurrent leases. */
  maxTurns: number;
  contradictions: string[];
  proofs: CheckedProof[];
  byzantine: ByzantineReport[];
};
