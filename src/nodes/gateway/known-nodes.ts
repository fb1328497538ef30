import type { NodeRecord } from "./node-store.ts";
import type { NodeStand, NodeUse } from "./operations.ts";

/**
 * The nodes that the control store knows, in memory: read at the start, kept up to date with what this gateway writes and with
 * what an operator changes beside it.
 */
export type KnownNodes = {
  get(id: string): NodeRecord | undefined;
  all(): IterableIterator<NodeRecord>;
  /** The record as it was just written, or is about to be. */
  put(record: NodeRecord): void;
  /** The quarantine of the node is not in the store yet: a look does not take it away. */
  keepQuarantine(id: string): void;
  quarantineWritten(id: string): void;
  /** Counts the end of a job. */
  noteEnd(id: string, end: "done" | "failed"): void;
  noteSeen(id: string, atMs: number): void;
  /** What is to be written of the counts; each is given once. */
  takeUses(): readonly NodeUse[];
  /** Puts what was taken back, as it could not be written. */
  restoreUses(uses: readonly NodeUse[]): void;
  /** Names a look at the store that begins now. */
  beginLook(): number;
  /** Takes over what the look found, but for nodes that were put since it began. Gives the nodes that it changed. */
  endLook(look: number, stands: readonly NodeStand[]): readonly StandChange[];
};

/** `after` is null for a node that the store does not know any more. */
export type StandChange = { before: NodeRecord; after: NodeRecord | null };

export function createKnownNodes(): KnownNodes {
  const nodes = new Map<string, NodeRecord>();
  const putIn = new Map<string, number>();
  const quarantineKept = new Set<string>();
  const uses = new Map<string, NodeUse>();
  let looks = 0;

  function put(record: NodeRecord): void {
    nodes.set(record.id, record);
    putIn.set(record.id, looks);
  }

  function addUse({ id, done, failed, seenMs }: NodeUse): void {
    const use = uses.get(id) ?? { id, done: 0, failed: 0, seenMs };
    uses.set(id, {
      id,
      done: use.done + done,
      failed: use.failed + failed,
      seenMs: Math.max(use.seenMs, seenMs),
    });
  }

  function change(id: string, changed: Partial<NodeRecord>): void {
    const record = nodes.get(id);
    if (record !== undefined) nodes.set(id, { ...record, ...changed });
  }

  function forget(id: string): void {
    nodes.delete(id);
    putIn.delete(id);
    quarantineKept.delete(id);
    uses.delete(id);
  }

  return {
    get: (id) => nodes.get(id),
    all: () => nodes.values(),
    put,
    keepQuarantine: (id) => quarantineKept.add(id),
    quarantineWritten: (id) => {
      quarantineKept.delete(id);
      // A look that has begun may have read the store before.
      putIn.set(id, looks);
    },
    noteEnd: (id, end) => {
      const record = nodes.get(id);
      if (record === undefined) return;
      const [done, failed] = end === "done" ? [1, 0] : [0, 1];
      change(id, { jobsDone: record.jobsDone + done, jobsFailed: record.jobsFailed + failed });
      addUse({ id, done, failed, seenMs: record.seenMs });
    },
    noteSeen: (id, seenMs) => {
      if (!nodes.has(id)) return;
      change(id, { seenMs });
      addUse({ id, done: 0, failed: 0, seenMs });
    },
    takeUses: () => {
      const taken = [...uses.values()];
      uses.clear();
      return taken;
    },
    restoreUses: (taken) => {
      for (const use of taken) if (nodes.has(use.id)) addUse(use);
    },
    beginLook: () => {
      looks += 1;
      return looks;
    },
    endLook: (look, stands) => {
      const standOf = new Map(stands.map((stand) => [stand.id, stand]));
      const changes: StandChange[] = [];
      for (const before of [...nodes.values()]) {
        const found = standOf.get(before.id);
        const isKept = found !== undefined && quarantineKept.has(before.id);
        const stand = isKept ? { ...found, ...quarantineOf(before) } : found;
        if ((putIn.get(before.id) ?? 0) >= look || (stand && isSame(before, stand))) continue;
        if (stand === undefined) forget(before.id);
        else change(before.id, stand);
        changes.push({ before, after: nodes.get(before.id) ?? null });
      }
      return changes;
    },
  };
}

const quarantineOf = (record: NodeRecord) => ({
  quarantinedUntilMs: record.quarantinedUntilMs,
  quarantineReason: record.quarantineReason,
  quarantines: record.quarantines,
});

const isSame = (record: NodeRecord, stand: NodeStand): boolean =>
  record.state === stand.state &&
  record.machine === stand.machine &&
  record.quarantinedUntilMs === stand.quarantinedUntilMs &&
  record.quarantineReason === stand.quarantineReason &&
  record.quarantines === stand.quarantines;
