/**
 * There are ten times as many likes and reposts as posts. Adding each immediately would rewrite
 * rows and index entries all day, so the catalog collects them (`count-changes.ts`).
 */

import type { CountMetric } from "@earshot/query/tree";
import type { CountChange } from "./count-changes.ts";
import { findPost } from "./find-post.ts";
import { owner } from "./placement.ts";
import { inSegment, type WriteContext } from "./write-context.ts";

const rowsPerBatch = 2_000;

export function addCountBatch(context: WriteContext): boolean {
  const { counts, writers } = context;
  const batch = counts.nextBatch(rowsPerBatch);
  if (batch === null) return false;
  for (const [platform, changes] of Map.groupBy(batch.changes, (change) => change.platform)) {
    const entries = writers.entries(platform);
    const byId = new Map<bigint, Map<CountMetric, number>>();
    for (const [uri, uriChanges] of Map.groupBy(changes, (change) => change.uri)) {
      const stored = findPost(context, entries, platform, uri);
      if (stored !== null) byId.set(stored.id, makeTotals(uriChanges));
    }
    const ids = [...byId.keys()].sort((a, b) => (a < b ? -1 : 1));
    for (const [entry, entryIds] of Map.groupBy(ids, (id) => owner(entries, id))) {
      const writer = writers.openWriter(entry);
      if (writer.countBatch() >= batch.number) continue;
      inSegment(context, writer, entry, () => {
        for (const id of entryIds) writer.addCounts(id, byId.get(id) ?? new Map());
        writer.setCountBatch(batch.number);
      });
    }
  }
  counts.endBatch(batch);
  return true;
}

const makeTotals = (changes: readonly CountChange[]): Map<CountMetric, number> =>
  new Map(changes.map(({ metric, increment }) => [metric, increment]));
