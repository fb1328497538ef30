import { lastId, nextMillisecondId } from "../../posts/ids.ts";
import { moveToOrphaned } from "../catalog/archive-files.ts";
import {
  addSegmentEntry,
  nextSequence,
  readSegments,
  readUriKey,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { allocateCommitNumber } from "../catalog/commit-number.ts";
import { createSegmentFile, openSegmentFile } from "../segments/segment-file.ts";
import type { CompactionContext } from "./context.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

export function* cutNewest(
  { folder, catalog }: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<void> {
  yield* inLock(catalog, () => {
    const { platform } = entry;
    const newest = readSegments(catalog).findLast((segment) => segment.platform === platform);
    if (newest?.sequence !== entry.sequence) return;
    const low = idAfterLastPost(folder, newest);
    if (low > lastId) return;
    const sequence = nextSequence(catalog, platform);
    const path = segmentPath(folder, { platform, sequence });
    moveToOrphaned(folder, { platform, sequence });
    const commit = allocateCommitNumber(catalog);
    createSegmentFile(path, {
      uriKey: readUriKey(catalog),
      platform,
      sequence,
      low,
      createdInCommit: commit,
      lastWrittenInCommit: commit,
      replaces: null,
    });
    addSegmentEntry(catalog, {
      platform,
      sequence,
      low,
      skew: newest.skew,
      lastWrittenInCommit: commit,
    });
  });
}

function idAfterLastPost(folder: string, entry: SegmentEntry): bigint {
  const segment = openSegmentFile(segmentPath(folder, entry), 1_000);
  try {
    const selectLastId = segment.prepare("SELECT max(id) AS id FROM post");
    selectLastId.setReadBigInts(true);
    return nextMillisecondId((selectLastId.get()?.id as bigint | null) ?? 0n);
  } finally {
    segment.close();
  }
}
