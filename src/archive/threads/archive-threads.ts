import { join } from "node:path";
import {
  siblingModule,
  startThread,
  type Thread,
  type ThreadLoad,
  ThreadPool,
} from "../../db/threads/thread.ts";
import type { ArchiveThreadName } from "../archive.ts";
import { memoryShares } from "../memory-shares.ts";
import { createIdCache } from "../sealed/id-cache.ts";
import { createVerifiedFiles } from "../segments/integrity.ts";
import { type ArchiveBounds, archiveDefaults } from "../settings.ts";
import type { CompactionMethods, CompactionThreadData } from "./compaction-thread.ts";
import type { LanguageMethods } from "./language-thread.ts";
import type { ReaderMethods, ReaderThreadData } from "./reader-thread.ts";
import type { WriterMethods, WriterThreadData } from "./writer-thread.ts";

export type ReaderShare = ReaderThreadData;

export type ArchiveThreads = {
  readonly writer: Thread<WriterMethods>;
  readonly readers: ThreadPool<ReaderMethods>;
  readonly languages: Thread<LanguageMethods>;
  /** Null if another process may run compaction. */
  readonly compaction: Thread<CompactionMethods> | null;
  load(): readonly (ThreadLoad & { thread: ArchiveThreadName })[];
  close(): Promise<void>;
};

export function startArchiveThreads(
  folder: string,
  bounds: ArchiveBounds,
  {
    readers: readerCount,
    segmentPosts,
    share,
    hasCompaction,
  }: { readers: number; segmentPosts: number; share: ReaderShare; hasCompaction: boolean },
): ArchiveThreads {
  const module = (name: string): URL => siblingModule(import.meta.url, name);
  const { maxBytes } = bounds;
  const sealPosts = bounds.seal === "off" ? null : bounds.sealPosts;
  const writerData: WriterThreadData = { folder, segmentPosts, maxBytes, sealPosts };
  const compactionData: CompactionThreadData = { folder, bounds: settingsBounds(bounds) };
  const writer = startThread<WriterMethods>(module("./writer-thread"), writerData);
  const readers = new ThreadPool<ReaderMethods>(readerCount, module("./reader-thread"), share);
  const languages = startThread<LanguageMethods>(module("./language-thread"), null);
  const compaction = hasCompaction
    ? startThread<CompactionMethods>(module("./compaction-thread"), compactionData)
    : null;
  return {
    writer,
    readers,
    languages,
    compaction,
    load: () => [
      { thread: "writer", ...writer.load() },
      { thread: "readers", ...readers.load() },
      { thread: "languages", ...languages.load() },
      ...(compaction === null ? [] : [{ thread: "compaction" as const, ...compaction.load() }]),
    ],
    close: async () => {
      await Promise.all([compaction?.close(), languages.close(), readers.close()]);
      // Closed last, because a read-only connection cannot checkpoint the write-ahead log.
      await writer.close();
    },
  };
}

export function createReaderShare(
  settings: { dataDir: string; readers: number } & Partial<ArchiveBounds>,
): ReaderShare {
  const { memoryBytes, readers } = { ...archiveDefaults, ...settings };
  const shares = memoryShares(memoryBytes, readers);
  return {
    folder: join(settings.dataDir, "archive"),
    cacheKib: Math.floor(shares.pages / 1_024),
    ids: createIdCache(shares.ids),
    verifiedFiles: createVerifiedFiles(),
    termCacheBytes: shares.terms,
    recordCacheBytes: shares.records,
  };
}

const settingsBounds = (settings: ArchiveBounds): ArchiveBounds => ({
  countDelayMs: settings.countDelayMs,
  maxBytes: settings.maxBytes,
  maxAgeMs: settings.maxAgeMs,
  splitPosts: settings.splitPosts,
  optimiseAfterMs: settings.optimiseAfterMs,
  retainedIngestNumbers: settings.retainedIngestNumbers,
  retiredMs: settings.retiredMs,
  orphanedMs: settings.orphanedMs,
  seal: settings.seal,
  sealAfterMs: settings.sealAfterMs,
  sealPosts: settings.sealPosts,
  resealPercent: settings.resealPercent,
  resealEveryMs: settings.resealEveryMs,
  memoryBytes: settings.memoryBytes,
});
