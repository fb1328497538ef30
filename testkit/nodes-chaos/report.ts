import type { FaultReport } from "./faults.ts";
import type { Network } from "./network.ts";

export type StoreFindings = {
  /** Jobs that clients were told of, and their different uuids. */
  jobs: number;
  distinct: number;
  /** How many jobs the store has in each state. */
  states: Record<string, number>;
  /** Jobs that were given to a node more than once. */
  leasedAgain: number;
  /** Jobs that were done, by the node that did them. */
  byNode: Record<string, number>;
  /** The most jobs of other keys that were given to nodes while one of this key's waited for its turn. */
  fairness: { key: string; jobs: number; most: number }[];
};

export type CheckedProof = { uuid: string; evidence: string; verdict: string };

/** What a run found. */
export type ChaosReport = StoreFindings & {
  seed: number;
  network: Network["kind"];
  readySeconds: number;
  rushSeconds: number;
  faults: FaultReport[];
  smallWaitsMs: number[];
  /** The most turns that a job may wait: one for each other key, and what may be given at the same moment. */
  mostTurns: number;
  contradictions: string[];
  proofs: CheckedProof[];
};
