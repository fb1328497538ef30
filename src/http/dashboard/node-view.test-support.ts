import type { NodeView } from "../../remote/gateway/gateway.ts";

const noon = Date.UTC(2026, 10, 22, 12);
const minuteMs = 60_000;

export const makeNodeView = (overrides: Partial<NodeView> = {}): NodeView => ({
  id: "5d1f0c2ab37e9946",
  name: "ams-1",
  identityKey: "B".repeat(43),
  machine: null,
  image: null,
  composeHash: null,
  isListed: false,
  createdMs: noon - 200 * minuteMs,
  quarantines: 0,
  keyId: "A".repeat(22),
  evidence: "tdx",
  state: "approved",
  isConnected: true,
  capabilities: [
    { platform: "x", method: "gettweets", ways: ["api"] },
    { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
    { platform: "bluesky", method: "gettweets", ways: ["archive", "public"] },
  ],
  takes: ["searchbyquery", "gettweets"],
  concurrency: 4,
  running: 1,
  version: "0.1.0",
  attestationId: "attestation",
  attestedMs: noon - 4 * minuteMs,
  connectedMs: noon - 180 * minuteMs,
  seenMs: noon - minuteMs,
  quarantinedUntilMs: null,
  quarantineReason: null,
  jobsDone: 812,
  jobsFailed: 3,
  ...overrides,
});
