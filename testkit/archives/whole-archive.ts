import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ArchiveChange } from "../../src/archive/archive.ts";
import {
  catalogPath,
  readSegments,
  readUriKey,
  segmentPath,
} from "../../src/archive/catalog/catalog.ts";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { openForReading } from "../../src/archive/database.ts";
import { startPreparation } from "../../src/archive/write/prepare.ts";
import { createBatchWriter, type PreparedBatch } from "../../src/archive/write/write-batch.ts";
import type { Platform, Post } from "../../src/posts/post.ts";
import { decodeRecord } from "../../src/posts/record.ts";

type StoredRow = { platform: Platform; row: Record<string, unknown>; hidden: boolean };

export function wholeArchive(folder: string): StoredRow[] {
  const catalog = openForReading(catalogPath(folder), 1_000);
  try {
    return readSegments(catalog).flatMap((entry) => {
      const segment = openForReading(segmentPath(folder, entry), 1_000);
      const rows = allRows(segment, "SELECT * FROM post ORDER BY id");
      const hidden = new Set(allRows(segment, "SELECT id FROM hidden").map(({ id }) => id));
      segment.close();
      return rows.map((row) => ({ platform: entry.platform, row, hidden: hidden.has(row.id) }));
    });
  } finally {
    catalog.close();
  }
}

function allRows(database: DatabaseSync, sql: string): Record<string, unknown>[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all();
}

export function writerOn(dataDir: string, segmentPosts: number) {
  const folder = join(dataDir, "archive");
  mkdirSync(folder, { recursive: true });
  const catalog = openCatalog(folder);
  const uriKey = readUriKey(catalog);
  const maxBytes = Number.POSITIVE_INFINITY;
  const writer = createBatchWriter(folder, catalog, { segmentPosts, maxBytes });
  return {
    write: (
      changes: readonly ArchiveChange[],
      checkpoints: PreparedBatch["checkpoints"] = [],
      coverage: PreparedBatch["coverage"] = [],
    ): void => {
      const preparation = startPreparation(uriKey, Date.UTC(2030, 0, 1));
      changes.forEach(preparation.add);
      writer.write({ ...preparation.prepared(), checkpoints, coverage });
    },
    addCounts: (): void => {
      writer.closeCounts();
      while (writer.addCounts());
    },
    close: writer.close,
  };
}

export function storedPosts(folder: string): { post: Post; hidden: boolean }[] {
  return wholeArchive(folder).map(({ platform, row, hidden }) => {
    const { id, time_ms, likes, reposts, replies, quotes, record } = row;
    const toNumber = (value: unknown): number | null => (value === null ? null : Number(value));
    const counts = {
      likes: toNumber(likes),
      reposts: toNumber(reposts),
      replies: toNumber(replies),
      quotes: toNumber(quotes),
    };
    const timeMs = Number(time_ms);
    const post = decodeRecord({
      id: id as bigint,
      platform,
      timeMs,
      counts,
      record: String(record),
    });
    return { post, hidden };
  });
}
