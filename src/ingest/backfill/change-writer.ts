import type { Archive, ArchiveChange, WriteBatch, WriteReport } from "../../archive/archive.ts";

export type ChangeWriter = {
  /** Returns a promise only if the batch is full, to avoid one per change. */
  add(change: ArchiveChange): Promise<void> | undefined;
  /** Writes pending changes and the extras atomically. */
  flush(extras?: Pick<WriteBatch, "checkpoints" | "coverage">): Promise<void>;
  report(): Readonly<WriteReport>;
};

const maxBatchChanges = 1_000;

export function createChangeWriter(archive: Pick<Archive, "write">): ChangeWriter {
  const totals = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, suppressed: 0 };
  let changes: ArchiveChange[] = [];

  async function flush(extras: Pick<WriteBatch, "checkpoints" | "coverage"> = {}): Promise<void> {
    const batch = { changes, ...extras };
    changes = [];
    const isEmpty = batch.changes.length === 0 && !extras.checkpoints && !extras.coverage;
    if (isEmpty) return;
    const report = await archive.write(batch);
    for (const [name, count] of Object.entries(totals)) {
      const key = name as keyof WriteReport;
      totals[key] = count + report[key];
    }
  }

  return {
    add: (change) => {
      changes.push(change);
      return changes.length >= maxBatchChanges ? flush() : undefined;
    },
    flush,
    report: () => totals,
  };
}
