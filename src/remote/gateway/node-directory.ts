import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Method, methodNames } from "../../platforms/methods.ts";
import type { Work } from "../capability.ts";
import type { GatewaySettings } from "../settings.ts";
import type { NodeGatewayContext, NodeLog } from "./context.ts";
import { createEligibility } from "./eligibility.ts";
import { createJobFailures } from "./job-failures.ts";
import { createNodeEvents } from "./node-events.ts";
import { isQuarantined, type NodeRecord, type NodeState } from "./node-record.ts";
import { createNodeRegistry } from "./node-registry.ts";
import type { NodeOperations } from "./node-store.ts";
import { createReleases, type ReleaseSource } from "./releases.ts";
import { createRuns } from "./runs.ts";

export type NodeDirectoryContext = {
  settings: GatewaySettings;
  store: Store<NodeOperations>;
  clock: Clock;
  log: NodeLog;
  running: { of(nodeId: string): number };
  /** `capabilityRank` of the embedded node; 0 if it defers to others. */
  embeddedReach: (work: Work) => number;
  releases?: ReleaseSource;
};

export type NodeDirectory = ReturnType<typeof createNodeDirectory>;

export type GatewayParts = NodeGatewayContext & NodeDirectory;

export type NodeView = Omit<NodeRecord, "state" | "attestationId"> & {
  state: NodeState | "quarantined";
  attestationId: string | null;
  keyId: string | null;
  isConnected: boolean;
  /** Polling now or recently, or fully occupied. */
  takes: readonly Method[];
  running: number;
  connectedMs: number | null;
};

export function createNodeDirectory(context: NodeDirectoryContext) {
  const { store, clock } = context;
  const registry = createNodeRegistry(store);
  const runs = createRuns(clock);
  const events = createNodeEvents({ ...context, registry });
  const failures = createJobFailures({ ...context, events });
  const released = createReleases({ ...context, runs, events });
  const eligibility = createEligibility({ ...context, registry, runs, failures, released });

  function recordView(record: NodeRecord): NodeView {
    const run = runs.ofNode(record.id);
    const isInQuarantine = isQuarantined(record, clock);
    return {
      ...record,
      state: isInQuarantine && record.state === "approved" ? "quarantined" : record.state,
      attestationId: record.state === "pending" ? null : record.attestationId,
      quarantinedUntilMs: isInQuarantine ? record.quarantinedUntilMs : null,
      quarantineReason: isInQuarantine ? record.quarantineReason : null,
      keyId: run?.keyId ?? null,
      isConnected: run !== undefined && eligibility.isConnected(run),
      capabilities: run === undefined ? record.capabilities : eligibility.capabilities(run),
      takes: methodNames.filter((method) => run !== undefined && eligibility.takes(run, method)),
      running: run === undefined ? 0 : eligibility.running(run),
      connectedMs: run?.connectedMs ?? null,
    };
  }

  const nodes = (): readonly NodeView[] =>
    registry
      .all()
      .filter(({ state }) => state !== "removed")
      .toSorted((a, b) => a.createdMs - b.createdMs)
      .map(recordView);

  return { ...context, registry, runs, events, failures, released, eligibility, nodes };
}
