import type { DatabaseSync } from "node:sqlite";
import type { CountMetric } from "@earshot/query/tree";
import type { Platform } from "../../posts/post.ts";
import { putSetting, readSetting } from "../catalog/catalog.ts";

export type CountChange = { platform: Platform; uri: string; metric: CountMetric; by: number };

/**
 * Count changes are collected in a generation, which is closed once a minute and added in steps.
 * Each step is one commit, which deletes its rows. Each segment stores the step's number in the
 * commit that adds its part: after a crash the same rows form the same step, and a segment that
 * already has that step skips it, so every change is added exactly once.
 */
export type CountChanges = {
  collect(change: CountChange): void;
  closeGeneration(): void;
  nextStep(limit: number): CountStep | null;
  /** Runs in the same transaction as its `nextStep`. */
  endStep(step: CountStep): void;
};

type CountStep = { number: number; generation: number; changes: readonly CountChange[] };

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
    collect: ({ platform, uri, metric, by }) => {
      upsertChange.run(platform, uri, metric, by);
    },
    closeGeneration: () => putSetting(catalog, "generation", generation() + 1),
    nextStep: (limit) => {
      const first = selectOldest.get()?.generation;
      if (first === null || first === undefined || Number(first) >= generation()) return null;
      const changes = selectChanges.all(Number(first), limit).map(
        (row): CountChange => ({
          platform: row.platform as Platform,
          uri: String(row.uri),
          metric: row.metric as CountMetric,
          by: Number(row.added),
        }),
      );
      const number = Number(readSetting(catalog, "count_step")) + 1;
      return { number, generation: Number(first), changes };
    },
    endStep: (step) => {
      for (const { platform, uri, metric } of step.changes) {
        deleteChange.run(step.generation, platform, uri, metric);
      }
      putSetting(catalog, "count_step", step.number);
    },
  };
}
