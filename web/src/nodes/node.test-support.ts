import type { NodeStatusResponse } from "../../../src/http/dashboard/contract/status.ts";

/** A connected remote node. */
export const makeNode = (overrides: Partial<NodeStatusResponse> = {}): NodeStatusResponse => ({
  id: "5d1f0c2ab37e9946",
  name: "ams-1",
  evidence: "tdx",
  proves: "Something.",
  does_not_prove: "Something else.",
  state: "approved",
  is_connected: true,
  is_spare: false,
  platforms: ["bluesky", "x"],
  running: 1,
  concurrency: 4,
  connected_at: "2026-11-22T09:00:00.000Z",
  attested_at: "2026-11-22T11:56:00.000Z",
  seen_at: "2026-11-22T11:59:00.000Z",
  quarantine: null,
  jobs: 8112,
  jobs_failed: 3,
  ...overrides,
});
