import type { EvidenceKind } from "../jobs/result-signature.ts";

/** Durations in milliseconds. Some are configurable (server/node-settings.ts). */
export type GatewaySettings = {
  embedded: "on" | "spare" | "off";
  evidence: readonly EvidenceKind[];
  policyFile: string | null;
  /** Of a caching service or Intel's own, or a folder. */
  collateral: string;
  collateralMaxAgeMs: number;
  attestationMs: number;
  challengeMs: number;
  clockSkewMs: number;
  dispatchesPerSecond: number;
  leaseWaitMs: number;
  maxResultBytes: number;
  strikes: number;
  quarantineMs: number;
  memoryMs: number;
  awayMs: number;
};

export const gatewayDefaults: GatewaySettings = {
  embedded: "on",
  evidence: ["tdx"],
  policyFile: null,
  collateral: "https://api.trustedservices.intel.com",
  collateralMaxAgeMs: 21_600_000,
  attestationMs: 3_600_000,
  challengeMs: 60_000,
  clockSkewMs: 60_000,
  dispatchesPerSecond: 3,
  leaseWaitMs: 20_000,
  maxResultBytes: 8_388_608,
  strikes: 3,
  quarantineMs: 300_000,
  memoryMs: 604_800_000,
  awayMs: 600_000,
};

export type NodeSettings = {
  gateway: string | null;
  gatewayKey: string | null;
  enrolmentToken: string | null;
  evidence: EvidenceKind;
  url: string | null;
};

/** How long a node that stops lets jobs end before it returns them. */
export const drainMs = 30_000;

/** How long a node caches the gateway's answer about an API key. */
export const introspectionMs = 60_000;

/** On top of the time that a request may be held open. */
export const gatewayTimeoutMs = 10_000;

/** Per address, at a node that serves searches. */
export const attestationsPerMinute = 6;
