import { nextMillisecondId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { createSegmentCopy } from "../compaction/segment-copy.ts";
import { openForReading } from "../database.ts";
import { buildSealedFromTerms } from "../sealed/build.ts";
import { ingestOrderIn } from "../segments/ingest-order.ts";
import type { PostTerms } from "../segments/post-rows.ts";
import type { SegmentIdentity } from "../segments/segment-file.ts";
import {
  deletionsCopier,
  type SegmentWriter,
  segmentWriterOn,
} from "../segments/segment-writer.ts";
import { createForwardIndex } from "./forward-index.ts";

/**
 * `seal` builds the sealed segment, `identify` commits it. A crash before that leaves an
 * uncommitted file.
 */
export type StagedSegment = {
  writer: SegmentWriter;
  isFull(): boolean;
  posts(): number;
  end(): bigint;
  seal(lastIngestNumber: number, sealedMs: number): void;
  identify(identity: SegmentIdentity, replacedPath: string): void;
  close(): void;
};

/** Large, because uri hashes are inserted in random order. */
const writeCacheKib = 64_000;
const readCacheKib = 1_000;
const postsPerRow = 1_000;

export function createStagedSegment(
  path: string,
  platform: Platform,
  uriKey: string,
): StagedSegment {
  const copy = createSegmentCopy(path, platform);
  const database = copy.open();
  database.exec(`PRAGMA cache_size = -${writeCacheKib}`);
  const index = createForwardIndex(uriKey);
  const terms = {
    insert: (id: bigint, { terms, packedTexts }: PostTerms) =>
      index.add(id, packedTexts?.terms ?? Buffer.from(terms)),
    remove: index.remove,
  };
  const noIngestOrder = { add: () => {}, renumber: () => {}, flush: () => {}, discard: () => {} };
  const rows = segmentWriterOn(database, { path, platform }, { terms, ingestOrder: noIngestOrder });
  let posts = 0;
  let maxId = -1n;

  const writer: SegmentWriter = {
    ...rows,
    insert: (post, id, ingestNumber) => {
      rows.insert(post, id, ingestNumber);
      posts += 1;
      if (id > maxId) maxId = id;
    },
    renumber: (id, newId, hash) => {
      rows.renumber(id, newId, hash);
      if (newId > maxId) maxId = newId;
    },
    // Most posts are newer than all earlier ones, and need no lookup.
    findById: (id) => (id > maxId ? null : rows.findById(id)),
    has: (id) => id <= maxId && rows.has(id),
    lowestId: (from, to) => (from > maxId ? null : rows.lowestId(from, to)),
    highestId: (from, to) => (from > maxId ? null : rows.highestId(from, to)),
  };

  function seal(lastIngestNumber: number, sealedMs: number): void {
    rows.commit();
    database.exec("BEGIN");
    const ids = index.ids();
    const bytesBefore = databaseBytes();
    for (const _ of buildSealedFromTerms(database, ids, index.terms(), sealedMs));
    const insertSetting = database.prepare(
      "INSERT OR REPLACE INTO setting VALUES('sealed_bytes', ?)",
    );
    insertSetting.run(databaseBytes() - bytesBefore);
    putIngestOrder(ids, lastIngestNumber);
    for (const _ of copy.complete());
  }

  const databaseBytes = (): number =>
    Number(
      database
        .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
        .get()?.bytes,
    );

  function putIngestOrder(ids: BigInt64Array, lastIngestNumber: number): void {
    const ingestOrder = ingestOrderIn(database);
    const ascendingIds = ids.toReversed();
    for (let from = 0; from < ascendingIds.length; from += postsPerRow) {
      const batch = ascendingIds.subarray(from, from + postsPerRow);
      ingestOrder.put(lastIngestNumber - ascendingIds.length + from + batch.length, [...batch]);
    }
  }

  return {
    writer,
    isFull: index.isFull,
    posts: () => posts,
    end: () => nextMillisecondId(maxId),
    seal,
    identify: (identity, replacedPath) => {
      const replacedDatabase = openForReading(replacedPath, readCacheKib);
      try {
        copy.takeDeletions(deletionsCopier(replacedDatabase));
      } finally {
        replacedDatabase.close();
      }
      copy.identify(identity);
    },
    close: copy.close,
  };
}
