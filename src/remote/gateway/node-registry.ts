import type { NodeGatewayContext } from "./context.ts";
import type { NodeRecord } from "./node-record.ts";
import type { NodeUse, Quarantine } from "./node-store.ts";

/** Refreshed every second: operators change nodes from other processes. */
export class NodeRegistry {
  readonly #store: NodeGatewayContext["store"];
  #records = new Map<string, NodeRecord>();
  readonly #quarantines = new Map<string, Quarantine>();
  #uses = new Map<string, NodeUse>();
  /** A read that overlaps a write is stale. */
  #changing = 0;
  #changed = 0;

  constructor(store: NodeGatewayContext["store"]) {
    this.#store = store;
  }

  get = (id: string): NodeRecord | undefined => this.#records.get(id);

  all = (): readonly NodeRecord[] => [...this.#records.values()];

  async change<Value>(write: () => Promise<Value>): Promise<Value> {
    this.#changing += 1;
    try {
      return await write();
    } finally {
      this.#changing -= 1;
      this.#changed += 1;
    }
  }

  put(stored: NodeRecord): NodeRecord {
    const quarantine = this.#quarantines.get(stored.id);
    const counted = withUse(stored, this.#uses.get(stored.id));
    const record = quarantine === undefined ? counted : withQuarantine(counted, quarantine);
    this.#records.set(record.id, record);
    return record;
  }

  quarantine(quarantine: Quarantine): void {
    const record = this.#records.get(quarantine.id);
    if (record === undefined) return;
    this.#quarantines.set(quarantine.id, quarantine);
    this.#records.set(record.id, withQuarantine(record, quarantine));
  }

  note(id: string, noted: Partial<NodeUse>): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    const use = { id, done: 0, failed: 0, seenMs: 0, ...noted };
    const { done, failed, seenMs } = this.#uses.get(id) ?? { done: 0, failed: 0, seenMs: 0 };
    this.#uses.set(id, {
      id,
      done: done + use.done,
      failed: failed + use.failed,
      seenMs: Math.max(seenMs, use.seenMs),
    });
    this.#records.set(id, withUse(record, use));
  }

  async refresh(): Promise<readonly NodeRecord[]> {
    const changed = this.#changed;
    const stored = await this.#store.read("nodes", null);
    if (this.#changing > 0 || this.#changed !== changed) return [];
    const before = this.#records;
    this.#records = new Map();
    for (const record of stored) this.put(record);
    return [...before.values()].filter(({ id, state }) => this.#records.get(id)?.state !== state);
  }

  async writeQuarantines(): Promise<void> {
    for (const [id, quarantine] of this.#quarantines) {
      await this.change(async () => {
        await this.#store.write("quarantineNode", quarantine);
        if (this.#quarantines.get(id) === quarantine) this.#quarantines.delete(id);
      });
    }
  }

  async writeUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    await this.change(async () => {
      const uses = [...this.#uses.values()];
      this.#uses = new Map();
      await this.#store.write("noteNodeUse", { uses });
    });
  }
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
