import type { JobState } from "./job.ts";

/** This process among those that share the store. */
export type Gateway = {
  /** Unique to the process where the store is shared. */
  id: string;
  isShared: boolean;
  isLeader: () => boolean;
  /** JSON: what its nodes can do. */
  capabilities?: () => string;
};

/** The name of the only process on a store that is not shared. */
export const onlyGateway = "only";

export const aloneGateway: Gateway = {
  id: onlyGateway,
  isShared: false,
  isLeader: () => true,
};

/** `capabilities`: JSON. */
export type OtherGateway = { id: string; capabilities: string | null };

export type ForeignChange = {
  gateway: string;
  uuid: string;
  accountId: string;
  state: JobState | null;
  change: number;
  attempts: number;
  changedMs: number;
  notBeforeMs: number;
};
