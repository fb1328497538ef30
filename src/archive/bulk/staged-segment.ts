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
    insert: (id: bigint, { terms, packed }: PostTerms) =>
      index.add(id, packed?.terms ?? Buffer.from(terms)),
    remove: index.remove,
  };
  const noIngestOrder = { add: () => {}, renumber: () => {}, flush: () => {}, discard: () => {} };
  const rows = segmentWriterOn(database, { path, platform }, { terms, ingestOrder: noIngestOrder });
  let posts = 0;
  let last = -1n;

  const writer: SegmentWriter = {
    ...rows,
    insert: (post, id, ingestNumber) => {
      rows.insert(post, id, ingestNumber);
      posts += 1;
      if (id > last) last = id;
    },
    renumber: (id, newId, hash) => {
      rows.renumber(id, newId, hash);
      if (newId > last) last = newId;
    },
    // Most posts are newer than all earlier ones, and need no lookup.
    findById: (id) => (id > last ? null : rows.findById(id)),
    has: (id) => id <= last && rows.has(id),
    lowestId: (from, to) => (from > last ? null : rows.lowestId(from, to)),
    highestId: (from, to) => (from > last ? null : rows.highestId(from, to)),
  };

  function seal(lastIngestNumber: number, sealedMs: number): void {
    rows.commit();
    database.exec("BEGIN");
    const ids = index.ids();
    const before = databaseBytes();
    for (const _ of buildSealedFromTerms(database, ids, index.terms(), sealedMs));
    const insertSetting = database.prepare(
      "INSERT OR REPLACE INTO setting VALUES('sealed_bytes', ?)",
    );
    insertSetting.run(databaseBytes() - before);
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
    const ascending = ids.toReversed();
    for (let from = 0; from < ascending.length; from += postsPerRow) {
      const part = ascending.subarray(from, from + postsPerRow);
      ingestOrder.put(lastIngestNumber - ascending.length + from + part.length, [...part]);
    }
  }

  return {
    writer,
    isFull: index.isFull,
    posts: () => posts,
    end: () => nextMillisecondId(last),
    seal,
    identify: (identity, replacedPath) => {
      const replaced = openForReading(replacedPath, readCacheKib);
      try {
        copy.takeDeletions(deletionsCopier(replaced));
      } finally {
        replaced.close();
      }
      copy.identify(identity);
    },
    close: copy.close,
  };
}
