import type { JobState } from "./job.ts";

/** This process among those that share the store. */
export type Gateway = {
  /** Unique to the process where the store is shared. */
  id: string;
  isShared: boolean;
  /** One at a time does what must not be done twice. */
  isLeader: () => boolean;
  /** JSON: what its nodes can do, for the others. */
  capabilities?: () => string;
};

/** The name of the one process of a store that is not shared. */
export const onlyGateway = "only";

export const aloneGateway: Gateway = {
  id: onlyGateway,
  isShared: false,
  isLeader: () => true,
};

/** Seen lately; `capabilities`: JSON. */
export type OtherGateway = { id: string; capabilities: string | null };

/** A committed change of a job, or its deletion (`state` null), by another gateway. */
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
