import type { Archive, ArchiveChange, WriteBatch, WriteReport } from "../../archive/archive.ts";

/** Gathers changes and writes them in batches; what a batch of pages has come to goes with it. */
export type ChangeWriter = {
  /** Gives a promise only when a batch is full: most changes need none. */
  add(change: ArchiveChange): Promise<void> | undefined;
  /** Writes what has gathered, with these checkpoints and this coverage in the same step. */
  flush(beside?: Pick<WriteBatch, "checkpoints" | "coverage">): Promise<void>;
  report(): Readonly<WriteReport>;
};

const batchChanges = 1_000;

export function createChangeWriter(archive: Pick<Archive, "write">): ChangeWriter {
  const total = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, suppressed: 0 };
  let changes: ArchiveChange[] = [];

  async function flush(beside: Pick<WriteBatch, "checkpoints" | "coverage"> = {}): Promise<void> {
    const batch = { changes, ...beside };
    changes = [];
    const isEmpty = batch.changes.length === 0 && !beside.checkpoints && !beside.coverage;
    if (isEmpty) return;
    const written = await archive.write(batch);
    for (const [name, count] of Object.entries(total)) {
      const key = name as keyof WriteReport;
      total[key] = count + written[key];
    }
  }

  return {
    add: (change) => {
      changes.push(change);
      return changes.length >= batchChanges ? flush() : undefined;
    },
    flush,
    report: () => total,
  };
}
