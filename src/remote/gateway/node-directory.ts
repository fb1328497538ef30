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
import type { NodeOperations, NodeUse, Quarantine } from "./node-store.ts";
import { createReleases, type ReleaseSource } from "./releases.ts";
import { createRuns } from "./runs.ts";

export type NodeDirectoryContext = {
  settings: GatewaySettings;
  store: Store<NodeOperations>;
  clock: Clock;
  log: NodeLog;
  runningJobs: { count(nodeId: string): number };
  /** `capabilityRank` of the embedded node; 0 if it defers to others. */
  embeddedRank: (work: Work) => number;
  releaseSource?: ReleaseSource;
};

export type NodeDirectory = ReturnType<typeof createNodeDirectory>;

export type GatewayParts = NodeGatewayContext & NodeDirectory;

export type NodeView = Omit<NodeRecord, "state" | "attestationId"> & {
  state: NodeState | "quarantined";
  attestationId: string | null;
  keyId: string | null;
  isConnected: boolean;
  /** Methods for which the node requests or recently requested jobs, or is fully occupied. */
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

  function makeView(record: NodeRecord): NodeView {
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
      .map(makeView);

  return { ...context, registry, runs, events, failures, released, eligibility, nodes };
}

export type NodeRegistry = ReturnType<typeof createNodeRegistry>;

/** Refreshed every second, because operators change nodes from other processes. */
export function createNodeRegistry(store: Store<NodeOperations>) {
  let records = new Map<string, NodeRecord>();
  const quarantines = new Map<string, Quarantine>();
  let uses = new Map<string, NodeUse>();
  /** Writes in progress: a read that overlaps one is stale. */
  let pendingWrites = 0;
  let completedWrites = 0;

  async function change<Value>(write: () => Promise<Value>): Promise<Value> {
    pendingWrites += 1;
    try {
      return await write();
    } finally {
      pendingWrites -= 1;
      completedWrites += 1;
    }
  }

  function put(storedRecord: NodeRecord): NodeRecord {
    const quarantine = quarantines.get(storedRecord.id);
    const countedRecord = withUse(storedRecord, uses.get(storedRecord.id));
    const record =
      quarantine === undefined ? countedRecord : withQuarantine(countedRecord, quarantine);
    records.set(record.id, record);
    return record;
  }

  return {
    get: (id: string): NodeRecord | undefined => records.get(id),
    all: (): readonly NodeRecord[] => [...records.values()],
    change,
    put,

    quarantine: (quarantine: Quarantine): void => {
      const record = records.get(quarantine.id);
      if (record === undefined) return;
      quarantines.set(quarantine.id, quarantine);
      records.set(record.id, withQuarantine(record, quarantine));
    },

    recordUse: (id: string, change: Partial<NodeUse>): void => {
      const record = records.get(id);
      if (record === undefined) return;
      const use = { id, done: 0, failed: 0, seenMs: 0, ...change };
      const { done, failed, seenMs } = uses.get(id) ?? { done: 0, failed: 0, seenMs: 0 };
      uses.set(id, {
        id,
        done: done + use.done,
        failed: failed + use.failed,
        seenMs: Math.max(seenMs, use.seenMs),
      });
      records.set(id, withUse(record, use));
    },

    refresh: async (): Promise<readonly NodeRecord[]> => {
      const writesBefore = completedWrites;
      const storedRecords = await store.read("nodes", null);
      if (pendingWrites > 0 || completedWrites !== writesBefore) return [];
      const previousRecords = [...records.values()];
      records = new Map();
      for (const record of storedRecords) put(record);
      return previousRecords.filter(({ id, state }) => records.get(id)?.state !== state);
    },

    writeQuarantines: async (): Promise<void> => {
      for (const [id, quarantine] of quarantines) {
        await change(async () => {
          await store.write("quarantineNode", quarantine);
          if (quarantines.get(id) === quarantine) quarantines.delete(id);
        });
      }
    },

    writeUses: async (): Promise<void> => {
      if (uses.size === 0) return;
      await change(async () => {
        const batch = [...uses.values()];
        uses = new Map();
        await store.write("recordNodeUse", { uses: batch });
      });
    },
  };
}

const withUse = (record: NodeRecord, use: Omit<NodeUse, "id"> | undefined): NodeRecord =>
  use === undefined
    ? record
    : {
        ...record,
        jobsDone: record.jobsDone + use.done,
        jobsFailed: record.jobsFailed + use.failed,
        seenMs: Math.max(record.seenMs, use.seenMs),
      };

const withQuarantine = (record: NodeRecord, { untilMs, reason }: Quarantine): NodeRecord => ({
  ...record,
  quarantinedUntilMs: untilMs,
  quarantineReason: reason,
  quarantines: record.quarantines + 1,
});
