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

export type Recovered = {
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

type Highest = { ingestNumber: number; firstIngestNumber: number; counted: number };

export async function fillCatalog(
  catalog: DatabaseSync,
  folder: string,
  { chosen, commitNumber, retainedIngestNumbers, onProgress, signal }: FillRequest,
): Promise<Recovered> {
  const uriKey = readUriKey(catalog);
  const total = chosen.reduce((sum, { posts }) => sum + posts, 0);
  const recovered: Recovered = { posts: 0, unreadable: 0, deletions: 0, damaged: [] };
  const highest: Highest = {
    ingestNumber: 0,
    firstIngestNumber: Number.POSITIVE_INFINITY,
    counted: 0,
  };
  for (const entry of chosen) {
    const segment = openSegmentFile(segmentPath(folder, entry), 8_000);
    try {
      const steps = recoverRows(segment, entry, uriKey);
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        recovered.posts += step.value;
        onProgress(recovered.posts, total);
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const rows = step.value;
      recovered.unreadable += rows.unreadable;
      inTransaction(catalog, () => addSegment(catalog, segment, entry, rows));
      try {
        recovered.deletions += inTransaction(catalog, () => addDeletions(catalog, segment, entry));
        readNumbers(segment, highest);
      } catch (error) {
        if (!isDamage(error)) throw error;
        recovered.damaged.push(`${entry.platform}/${entry.sequence}`);
      }
    } finally {
      segment.close();
    }
  }
  inTransaction(catalog, () => {
    putSetting(catalog, "commit_number", commitNumber);
    putSetting(catalog, "ingest_number", highest.ingestNumber);
    putSetting(catalog, "ingest_order_from", ingestOrderStart(highest, retainedIngestNumbers));
    putSetting(catalog, "count_step", highest.counted);
  });
  return recovered;
}

function addSegment(
  catalog: DatabaseSync,
  segment: DatabaseSync,
  { platform, sequence, low, identity }: ChosenSegment,
  { skew, misplaced, handles, withoutHandle }: RecoveredRows,
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
  for (const userId of withoutHandle) accounts.add(platform, userId);
}

function segmentAnalyzer(segment: DatabaseSync): string {
  const selectSetting = segment.prepare("SELECT value FROM setting WHERE name = ?");
  const [version, unicode] = ["analyzer", "unicode"].map((name) => selectSetting.get(name)?.value);
  return unicode === undefined ? String(version ?? 0) : `${version} ${unicode}`;
}

function addDeletions(
  catalog: DatabaseSync,
  segment: DatabaseSync,
  { platform }: ChosenSegment,
): number {
  const accounts = openCatalogAccounts(catalog);
  const tombstones = openTombstones(catalog, platform, accounts);
  const posts = segment.prepare("SELECT uri, revision FROM tombstone").all();
  for (const { uri, revision } of posts) {
    tombstones.add({ uri: String(uri), revision: String(revision) });
  }
  const deleted = segment.prepare("SELECT user_id, deleted_ms FROM deleted_account").all();
  for (const { user_id, deleted_ms } of deleted) {
    accounts.setStatus({
      kind: "account",
      platform,
      userId: String(user_id),
      status: "deleted",
      observedMs: Number(deleted_ms),
    });
  }
  return posts.length + deleted.length;
}

function readNumbers(segment: DatabaseSync, highest: Highest): void {
  const prepare = bigIntPreparer(segment);
  const numbers = prepare(
    "SELECT min(number) AS first, max(number) AS last FROM ingest_order",
  ).get();
  if (typeof numbers?.first === "bigint") {
    highest.firstIngestNumber = Math.min(highest.firstIngestNumber, Number(numbers.first));
  }
  highest.ingestNumber = Math.max(highest.ingestNumber, Number(numbers?.last ?? 0));
  const counted = prepare("SELECT value FROM setting WHERE name = 'counted'").get();
  highest.counted = Math.max(highest.counted, Number(counted?.value ?? 0));
}

/**
 * A possibly incomplete ingest order is treated as dropped, so that no client gets a partial one.
 */
function ingestOrderStart(
  { ingestNumber, firstIngestNumber }: Highest,
  retainedIngestNumbers: number,
): number {
  if (firstIngestNumber <= 1 || ingestNumber === 0) return 0;
  return Math.max(firstIngestNumber, ingestNumber - retainedIngestNumbers);
}
