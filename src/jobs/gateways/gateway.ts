import type { JobState } from "../job.ts";

export type Gateway = {
  id: string;
  isShared: boolean;
  /** True for one gateway at a time, for work that must not be done twice. */
  isLeader: () => boolean;
  capabilities?: () => string;
};

export const singleGatewayId = "only";

export const singleGateway: Gateway = {
  id: singleGatewayId,
  isShared: false,
  isLeader: () => true,
};

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
