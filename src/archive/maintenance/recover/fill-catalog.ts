import type { DatabaseSync } from "node:sqlite";
import { openCatalogAccounts } from "../../catalog/accounts.ts";
import {
  addHandles,
  addSegmentEntry,
  putSetting,
  readUriKey,
  segmentPath,
} from "../../catalog/catalog.ts";
import { openMisplacedPosts } from "../../catalog/misplaced.ts";
import { openTombstones } from "../../catalog/removed-posts.ts";
import { bigIntPreparer, inTransaction } from "../../database.ts";
import { isDamage } from "../../sealed/damage.ts";
import { openSegmentFile } from "../../segments/segment-file.ts";
import type { ChosenSegment } from "./choose-segments.ts";
import { type RecoveredRows, recoverRows } from "./recover-rows.ts";

export type RecoveredTotals = {
  posts: number;
  unreadable: number;
  deletions: number;
  damaged: string[];
};

export type FillRequest = {
  chosen: readonly ChosenSegment[];
  commitNumber: number;
  retainedIngestNumbers: number;
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
};

type HighestNumbers = { ingestNumber: number; firstIngestNumber: number; countBatch: number };

export async function fillCatalog(
  catalog: DatabaseSync,
  folder: string,
  { chosen, commitNumber, retainedIngestNumbers, onProgress, signal }: FillRequest,
): Promise<RecoveredTotals> {
  const uriKey = readUriKey(catalog);
  const total = chosen.reduce((sum, { posts }) => sum + posts, 0);
  const recoveredTotals: RecoveredTotals = { posts: 0, unreadable: 0, deletions: 0, damaged: [] };
  const highestNumbers: HighestNumbers = {
    ingestNumber: 0,
    firstIngestNumber: Number.POSITIVE_INFINITY,
    countBatch: 0,
  };
  for (const entry of chosen) {
    const segment = openSegmentFile(segmentPath(folder, entry), 8_000);
    try {
      const steps = recoverRows(segment, entry, uriKey);
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        recoveredTotals.posts += step.value;
        onProgress(recoveredTotals.posts, total);
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const rows = step.value;
      recoveredTotals.unreadable += rows.unreadable;
      inTransaction(catalog, () => addSegment(catalog, segment, entry, rows));
      try {
        recoveredTotals.deletions += inTransaction(catalog, () =>
          addDeletions(catalog, segment, entry),
        );
        raiseNumbers(segment, highestNumbers);
      } catch (error) {
        if (!isDamage(error)) throw error;
        recoveredTotals.damaged.push(`${entry.platform}/${entry.sequence}`);
      }
    } finally {
      segment.close();
    }
  }
  inTransaction(catalog, () => {
    putSetting(catalog, "commit_number", commitNumber);
    putSetting(catalog, "ingest_number", highestNumbers.ingestNumber);
    putSetting(
      catalog,
      "ingest_order_from",
      ingestOrderStart(highestNumbers, retainedIngestNumbers),
    );
    putSetting(catalog, "count_step", highestNumbers.countBatch);
  });
  return recoveredTotals;
}

function addSegment(
  catalog: DatabaseSync,
  segment: DatabaseSync,
  { platform, sequence, low, identity }: ChosenSegment,
  { skew, misplaced, handles, userIdsWithoutHandle }: RecoveredRows,
): void {
  const lastWrittenInCommit = identity?.lastWrittenInCommit ?? 0;
  const numbering = Number(
    segment.prepare("SELECT value FROM setting WHERE name = 'numbering'").get()?.value ?? 0,
  );
  addSegmentEntry(catalog, { platform, sequence, low, skew, lastWrittenInCommit, numbering });
  catalog
    .prepare("UPDATE segment SET analyzer = ? WHERE platform = ? AND sequence = ?")
    .run(segmentAnalyzer(segment), platform, sequence);
  const misplacedPosts = openMisplacedPosts(catalog);
  for (const { hash, id } of misplaced) misplacedPosts.add(platform, hash, id);
  addHandles(catalog, handles);
  const accounts = openCatalogAccounts(catalog);
  for (const userId of userIdsWithoutHandle) accounts.add(platform, userId);
}

function segmentAnalyzer(segment: DatabaseSync): string {
  const selectSetting = segment.prepare("SELECT value FROM setting WHERE name = ?");
  const [version, unicodeVersion] = ["analyzer", "unicode"].map(
    (name) => selectSetting.get(name)?.value,
  );
  return unicodeVersion === undefined ? String(version ?? 0) : `${version} ${unicodeVersion}`;
}

function addDeletions(
  catalog: DatabaseSync,
  segment: DatabaseSync,
  { platform }: ChosenSegment,
): number {
  const accounts = openCatalogAccounts(catalog);
  const tombstones = openTombstones(catalog, platform, accounts);
  const deletedPosts = segment.prepare("SELECT uri, revision FROM tombstone").all();
  for (const { uri, revision } of deletedPosts) {
    tombstones.add({ uri: String(uri), revision: String(revision) });
  }
  const deletedAccounts = segment.prepare("SELECT user_id, deleted_ms FROM deleted_account").all();
  for (const { user_id, deleted_ms } of deletedAccounts) {
    accounts.setStatus({
      kind: "account",
      platform,
      userId: String(user_id),
      status: "deleted",
      observedMs: Number(deleted_ms),
    });
  }
  return deletedPosts.length + deletedAccounts.length;
}

function raiseNumbers(segment: DatabaseSync, highestNumbers: HighestNumbers): void {
  const prepare = bigIntPreparer(segment);
  const ingestNumberRange = prepare(
    "SELECT min(number) AS first, max(number) AS last FROM ingest_order",
  ).get();
  if (typeof ingestNumberRange?.first === "bigint") {
    highestNumbers.firstIngestNumber = Math.min(
      highestNumbers.firstIngestNumber,
      Number(ingestNumberRange.first),
    );
  }
  highestNumbers.ingestNumber = Math.max(
    highestNumbers.ingestNumber,
    Number(ingestNumberRange?.last ?? 0),
  );
  const countBatchRow = prepare("SELECT value FROM setting WHERE name = 'counted'").get();
  highestNumbers.countBatch = Math.max(
    highestNumbers.countBatch,
    Number(countBatchRow?.value ?? 0),
  );
}

/**
 * A possibly incomplete ingest order is treated as dropped, so that no client gets a partial one.
 */
function ingestOrderStart(
  { ingestNumber, firstIngestNumber }: HighestNumbers,
  retainedIngestNumbers: number,
): number {
  if (firstIngestNumber <= 1 || ingestNumber === 0) return 0;
  return Math.max(firstIngestNumber, ingestNumber - retainedIngestNumbers);
}
