import type { EvidenceKind } from "../jobs/result-signature.ts";

export type GatewaySettings = {
  embedded: "on" | "spare" | "off";
  evidence: readonly EvidenceKind[];
  policyFile: string | null;
  /** The URL of a service, or a folder. */
  collateral: string;
  dispatchesPerSecond: number;
  attestationMs: number;
};

export const gatewayDefaults: GatewaySettings = {
  embedded: "on",
  evidence: ["tdx"],
  policyFile: null,
  collateral: "https://api.trustedservices.intel.com",
  dispatchesPerSecond: 3,
  attestationMs: 3_600_000,
};

export const collateralMaxAgeMs = 21_600_000;
export const challengeMs = 60_000;
export const clockSkewMs = 60_000;
export const leaseWaitMs = 20_000;
export const maxResultBytes = 8_388_608;
/** Applies to pending and listed nodes, and to attestations whose results have expired. */
export const retentionMs = 604_800_000;
/** How long jobs wait for a node that has disconnected. */
export const disconnectGraceMs = 600_000;

export type NodeSettings = {
  gateway: string | null;
  gatewayKey: string | null;
  enrolmentToken: string | null;
  evidence: EvidenceKind;
};

/** How long a stopping node lets its jobs finish. */
export const drainMs = 30_000;

/** Time limit of a request, in addition to the time it may stay open. */
export const gatewayTimeoutMs = 10_000;
