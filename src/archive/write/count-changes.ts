import type { DatabaseSync } from "node:sqlite";
import type { CountMetric } from "@earshot/query/tree";
import type { Platform } from "../../posts/post.ts";
import { putSetting, readSetting } from "../catalog/catalog.ts";

export type CountChange = {
  platform: Platform;
  uri: string;
  metric: CountMetric;
  increment: number;
};

/**
 * Count changes are collected in a generation, which is closed every `countDelayMs` and then
 * added to posts in batches. One commit of the catalog deletes the rows of a batch. Before it, each
 * segment stores the batch's number in the commit that adds its share: after a crash the same rows
 * form the same batch, and a segment that already has that batch skips it, so every change is added
 * exactly once.
 */
export type CountChanges = {
  collect(change: CountChange): void;
  closeGeneration(): void;
  nextBatch(limit: number): CountBatch | null;
  /** Call in the same transaction as the `nextBatch` that returned `batch`. */
  endBatch(batch: CountBatch): void;
};

type CountBatch = { number: number; generation: number; changes: readonly CountChange[] };

export function openCountChanges(catalog: DatabaseSync): CountChanges {
  const upsertChange = catalog.prepare(
    `INSERT INTO count_change VALUES(
       (SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'generation'), ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET added = added + excluded.added`,
  );
  const selectOldest = catalog.prepare("SELECT min(generation) AS generation FROM count_change");
  const selectChanges = catalog.prepare(
    `SELECT platform, uri, metric, added FROM count_change WHERE generation = ?
     ORDER BY platform, uri, metric LIMIT ?`,
  );
  const deleteChange = catalog.prepare(
    "DELETE FROM count_change WHERE generation = ? AND platform = ? AND uri = ? AND metric = ?",
  );
  const generation = (): number => Number(readSetting(catalog, "generation"));
  return {
    collect: ({ platform, uri, metric, increment }) => {
      upsertChange.run(platform, uri, metric, increment);
    },
    closeGeneration: () => putSetting(catalog, "generation", generation() + 1),
    nextBatch: (limit) => {
      const oldestGeneration = selectOldest.get()?.generation;
      if (
        oldestGeneration === null ||
        oldestGeneration === undefined ||
        Number(oldestGeneration) >= generation()
      )
        return null;
      const changes = selectChanges.all(Number(oldestGeneration), limit).map(
        (row): CountChange => ({
          platform: row.platform as Platform,
          uri: String(row.uri),
          metric: row.metric as CountMetric,
          increment: Number(row.added),
        }),
      );
      const number = Number(readSetting(catalog, "count_step")) + 1;
      return { number, generation: Number(oldestGeneration), changes };
    },
    endBatch: (batch) => {
      for (const { platform, uri, metric } of batch.changes) {
        deleteChange.run(batch.generation, platform, uri, metric);
      }
      putSetting(catalog, "count_step", batch.number);
    },
  };
}
