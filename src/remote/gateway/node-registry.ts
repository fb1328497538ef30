import type { Store } from "../../db/operations.ts";
import type { NodeRecord } from "./node-record.ts";
import type { NodeOperations, NodeUse, Quarantine } from "./node-store.ts";

export type NodeRegistry = ReturnType<typeof createNodeRegistry>;

/** Refreshed every second: operators change nodes from other processes. */
export function createNodeRegistry(store: Store<NodeOperations>) {
  let records = new Map<string, NodeRecord>();
  const quarantines = new Map<string, Quarantine>();
  let uses = new Map<string, NodeUse>();
  /** A read that overlaps a write is stale. */
  let changing = 0;
  let changes = 0;

  async function change<Value>(write: () => Promise<Value>): Promise<Value> {
    changing += 1;
    try {
      return await write();
    } finally {
      changing -= 1;
      changes += 1;
    }
  }

  function put(stored: NodeRecord): NodeRecord {
    const quarantine = quarantines.get(stored.id);
    const counted = withUse(stored, uses.get(stored.id));
    const record = quarantine === undefined ? counted : withQuarantine(counted, quarantine);
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
      const before = changes;
      const stored = await store.read("nodes", null);
      if (changing > 0 || changes !== before) return [];
      const previous = [...records.values()];
      records = new Map();
      for (const record of stored) put(record);
      return previous.filter(({ id, state }) => records.get(id)?.state !== state);
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
