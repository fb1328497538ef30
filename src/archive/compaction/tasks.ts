import { lastId } from "../../posts/ids.ts";
import { archiveBytes, orphanedTotals } from "../catalog/archive-files.ts";
import {
  catalogPath,
  currentAnalyzer,
  currentNumbering,
  readSegments,
  readSetting,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { pendingRewrites, pendingSeals } from "../catalog/pending-tasks.ts";
import type { TaskKind } from "../compaction-state.ts";
import type { CompactionContext } from "./context.ts";
import { hasDroppedIngestOrder } from "./drop-ingest-order.ts";
import { fileBytes, lastWrittenMs, walBytes } from "./files.ts";
import {
  expirableByAge,
  expiredSegments,
  type PostTotals,
  readablePostTotals,
} from "./retention.ts";
import { retiredFiles } from "./retire.ts";
import type { SealWatch } from "./seal-watch.ts";

/**
 * - `drop` a segment whose posts have expired, or `thin` a mixed one to its imports;
 * - `cut`: end the newest segment if its analyzer or numbering is outdated;
 * - `reindex` older outdated segments, those with a requested rewrite or a damaged index,
 *   and sealed ones while sealing is off;
 * - `split` a segment that is too large;
 * - `forget` ingest order and `optimise`, once quiet; `shorten` a large write-ahead log;
 * - `seal` a quiet or requested segment, and reseal it after many writes.
 */
export type Task = { kind: TaskKind; entry: SegmentEntry };

export type DueTasks = {
  tasks: Task[];
  segments: number;
  bytes: number;
  retiredBytes: number;
  orphaned: { files: number; bytes: number };
  walBytes: number;
  counts: number;
};

const quietWalBytes = 1024 ** 2;
const busyWalBytes = 128 * 1024 ** 2;

export const taskKey = ({ kind, entry }: Task): string => `${kind} ${segmentName(entry)}`;

const segmentName = ({ platform, sequence }: SegmentEntry): string => `${platform} ${sequence}`;

export function findTasks(context: CompactionContext, sealWatch: SealWatch): DueTasks {
  const { folder, catalog, clock, bounds } = context;
  const allEntries = readSegments(catalog);
  const totals = new Map<SegmentEntry, PostTotals>();
  for (const entry of allEntries) {
    const segmentTotals = readablePostTotals(folder, entry);
    if (segmentTotals !== null) totals.set(entry, segmentTotals);
  }
  // A segment that cannot be read is rewritten only on request.
  const entries = allEntries.filter((entry) => totals.has(entry));
  const retiredBytes = retiredFiles(catalog).reduce(
    (sum, file) => sum + fileBytes(segmentPath(folder, file)),
    0,
  );
  const orphaned = orphanedTotals(folder);
  const bytes = archiveBytes(folder) - retiredBytes - orphaned.bytes;
  const ingestOrderFrom = Number(readSetting(catalog, "ingest_order_from"));
  sealWatch.update(entries);

  const entryTotals = (entry: SegmentEntry): PostTotals =>
    totals.get(entry) ?? { posts: 0, imported: 0 };
  const isNewest = ({ high }: SegmentEntry): boolean => high === lastId;
  const isQuiet = (entry: SegmentEntry): boolean =>
    clock.now() - lastWrittenMs(segmentPath(folder, entry)) >= bounds.optimiseAfterMs;
  const entryWalBytes = (entry: SegmentEntry): number => walBytes(segmentPath(folder, entry));
  const listTasks = (kind: TaskKind, chosenEntries: readonly SegmentEntry[]): Task[] =>
    chosenEntries.map((entry) => ({ kind, entry }));

  function expiryTasks(entry: SegmentEntry): Task[] {
    const { posts, imported } = entryTotals(entry);
    if (imported === 0) return listTasks("drop", [entry]);
    return imported < posts ? listTasks("thin", [entry]) : [];
  }

  const expiredTasks = expiredSegments(context, entries).flatMap(expiryTasks);
  const oversizeTasks =
    bytes > bounds.maxBytes ? expirableByAge(entries).flatMap(expiryTasks).slice(0, 1) : [];
  const outdatedEntries = entries.filter(({ analyzer }) => analyzer !== currentAnalyzer).reverse();
  const toRenumber = entries
    .filter((entry) => entry.numbering !== currentNumbering && !outdatedEntries.includes(entry))
    .reverse();
  const olderEntries = entries.filter((entry) => !isNewest(entry));
  const quietEntries = olderEntries.filter(isQuiet);
  const requestedSeals = new Set(pendingSeals(catalog).map(segmentName));
  const states = entries.map((entry) => ({ entry, ...sealWatch.sealState(entry) }));
  const toRebuild = states.filter(({ mustRebuild }) => mustRebuild);
  const toSeal = states.filter(
    ({ entry, obstacle, isDue }) =>
      isDue || (obstacle === null && requestedSeals.has(segmentName(entry))),
  );
  const mustCut = (entry: SegmentEntry): boolean => isNewest(entry) && entryTotals(entry).posts > 0;
  return {
    tasks: [
      ...expiredTasks,
      ...oversizeTasks,
      ...listTasks("cut", outdatedEntries.filter(mustCut)),
      ...listTasks(
        "reindex",
        outdatedEntries.filter((entry) => !mustCut(entry)),
      ),
      ...listTasks("cut", toRenumber.filter(mustCut)),
      ...listTasks("reindex", pendingRewrites(catalog)),
      ...listTasks(
        "reindex",
        toRebuild.map(({ entry }) => entry),
      ),
      ...listTasks(
        "split",
        olderEntries.filter((entry) => entryTotals(entry).posts > bounds.splitPosts),
      ),
      ...listTasks(
        "reindex",
        toRenumber.filter((entry) => !mustCut(entry)),
      ),
      ...listTasks(
        "forget",
        quietEntries.filter((entry) => hasDroppedIngestOrder(folder, entry, ingestOrderFrom)),
      ),
      ...listTasks(
        "optimise",
        quietEntries.filter(({ optimised }) => !optimised),
      ),
      ...listTasks("seal", toSeal.map(({ entry }) => entry).reverse()),
      ...listTasks(
        "shorten",
        entries.filter(
          (entry) => entryWalBytes(entry) > (isQuiet(entry) ? quietWalBytes : busyWalBytes),
        ),
      ),
    ],
    segments: allEntries.length,
    bytes,
    retiredBytes,
    orphaned,
    walBytes: Math.max(walBytes(catalogPath(folder)), ...entries.map(entryWalBytes)),
    counts: Number(catalog.prepare("SELECT count(*) AS rows FROM count_change").get()?.rows),
  };
}
