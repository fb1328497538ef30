import type { EvidenceKind } from "../jobs/result-signature.ts";

/** Durations in milliseconds. Some are configurable (server/node-settings.ts). */
export type GatewaySettings = {
  embedded: "on" | "spare" | "off";
  evidence: readonly EvidenceKind[];
  policyFile: string | null;
  audience: string;
  simulatedRoot: string | null;
  collateralUrl: string;
  collateralDir: string | null;
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
  audience: "earshot",
  simulatedRoot: null,
  collateralUrl: "https://api.trustedservices.intel.com",
  collateralDir: null,
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

/** Durations in milliseconds. */
export type NodeSettings = {
  gateway: string | null;
  gatewayKey: string | null;
  enrolmentToken: string | null;
  audience: string;
  name: string | null;
  evidence: EvidenceKind;
  simulatedTee: string | null;
  url: string | null;
  drainMs: number;
};

export const nodeDefaults = { drainMs: 30_000 };

/** How long a node caches the gateway's answer about an API key. */
export const introspectionMs = 60_000;

/** On top of the time that a request may be held open. */
export const gatewayTimeoutMs = 10_000;

/** Per address, at a node that serves searches. */
export const attestationsPerMinute = 6;
