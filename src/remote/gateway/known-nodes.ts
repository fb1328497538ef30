import type { Store } from "../../db/operations.ts";
import type { NodeRecord } from "./node-store.ts";
import type { NodeOperations, NodeUse, Quarantine } from "./operations.ts";

/**
 * In-memory copy of the stored nodes, refreshed every second because operators change them from other processes. The gateway's
 * own decisions apply at once and are written in the next round.
 */
export class KnownNodes {
  readonly #store: Store<NodeOperations>;
  #records = new Map<string, NodeRecord>();
  /** Unwritten. */
  readonly #quarantines = new Map<string, Quarantine>();
  #uses = new Map<string, NodeUse>();
  /** Writes in progress and finished: a read that overlaps one is stale. */
  #changing = 0;
  #changed = 0;

  constructor(store: Store<NodeOperations>) {
    this.#store = store;
  }

  get = (id: string): NodeRecord | undefined => this.#records.get(id);

  isEmpty = (): boolean => this.#records.size === 0;

  all = (): Iterable<NodeRecord> => this.#records.values();

  /** Runs a write; `write` calls `put` with its result. */
  async change<Value>(write: () => Promise<Value>): Promise<Value> {
    this.#changing += 1;
    try {
      return await write();
    } finally {
      this.#changing -= 1;
      this.#changed += 1;
    }
  }

  /** Merges unwritten counts and quarantines. */
  put(stored: NodeRecord): NodeRecord {
    const { done, failed, seenMs } = this.#useOf(stored.id);
    const quarantine = this.#quarantines.get(stored.id);
    const record = {
      ...stored,
      jobsDone: stored.jobsDone + done,
      jobsFailed: stored.jobsFailed + failed,
      seenMs: Math.max(stored.seenMs, seenMs),
      ...(quarantine !== undefined && {
        quarantinedUntilMs: quarantine.untilMs,
        quarantineReason: quarantine.reason,
        quarantines: stored.quarantines + 1,
      }),
    };
    this.#records.set(record.id, record);
    return record;
  }

  quarantine(quarantine: Quarantine): void {
    const record = this.#records.get(quarantine.id);
    if (record === undefined) return;
    this.#quarantines.set(quarantine.id, quarantine);
    this.#records.set(record.id, {
      ...record,
      quarantinedUntilMs: quarantine.untilMs,
      quarantineReason: quarantine.reason,
      quarantines: record.quarantines + 1,
    });
  }

  noteEnd(id: string, end: "done" | "failed"): void {
    const [done, failed] = end === "done" ? [1, 0] : [0, 1];
    this.#noteUse({ id, done, failed, seenMs: 0 });
  }

  noteSeen(id: string, seenMs: number): void {
    this.#noteUse({ id, done: 0, failed: 0, seenMs });
  }

  #noteUse({ id, done, failed, seenMs }: NodeUse): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    const use = this.#useOf(id);
    this.#uses.set(id, {
      id,
      done: use.done + done,
      failed: use.failed + failed,
      seenMs: Math.max(use.seenMs, seenMs),
    });
    this.#records.set(id, {
      ...record,
      jobsDone: record.jobsDone + done,
      jobsFailed: record.jobsFailed + failed,
      seenMs: Math.max(record.seenMs, seenMs),
    });
  }

  #useOf = (id: string): NodeUse => this.#uses.get(id) ?? { id, done: 0, failed: 0, seenMs: 0 };

  /** Returns previous records of nodes that changed state or were deleted. */
  async refresh(): Promise<readonly NodeRecord[]> {
    const changed = this.#changed;
    const stored = await this.#store.read("nodes", null);
    if (this.#changing > 0 || this.#changed !== changed) return [];
    const before = this.#records;
    this.#records = new Map();
    for (const record of stored) this.put(record);
    return [...before.values()].filter(({ id, state }) => this.#records.get(id)?.state !== state);
  }

  /** Failed writes are retried in the next round. */
  async writeQuarantines(): Promise<void> {
    for (const [id, quarantine] of this.#quarantines) {
      await this.change(async () => {
        await this.#store.write("quarantineNode", quarantine);
        if (this.#quarantines.get(id) === quarantine) this.#quarantines.delete(id);
      });
    }
  }

  /** Lost if the write fails. */
  async writeUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    await this.change(async () => {
      const uses = [...this.#uses.values()];
      this.#uses = new Map();
      await this.#store.write("noteNodeUse", { uses });
    });
  }
}
