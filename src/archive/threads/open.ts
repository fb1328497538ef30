import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makePrivateFolder } from "../../db/connection.ts";
import { folderError, requireWritable } from "../../db/folder-errors.ts";
import { ensureStoreId } from "../../db/store-id.ts";
import type { Thread } from "../../db/threads/thread.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Archive } from "../archive.ts";
import { archiveId } from "../catalog/archive-id.ts";
import { catalogPath, readUriKey } from "../catalog/catalog.ts";
import { requireIntactStartupTables } from "../catalog/intact-catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import { verifyCatalog } from "../catalog/verify-catalog.ts";
import { openForReading } from "../database.ts";
import { type ArchiveBounds, archiveDefaults } from "../settings.ts";
import { ArchiveWrites, archiveErrors, createArchiveReads, Verification } from "./archive-calls.ts";
import { createReaderShare, type ReaderShare, startArchiveThreads } from "./archive-threads.ts";
import type { WriterMethods } from "./writer-thread.ts";

export type ArchiveSettings = {
  dataDir: string;
  readers: number;
  segmentPosts: number;
  /** Default `on`; only for posts without a reported language. */
  detectLanguage?: "on" | "off";
  /**
   * Default `off`: another process may run compaction. The thread starts with the first call of
   * `compactionState`.
   */
  compaction?: "on" | "off";
  clock: Clock;
  /** Created if omitted. */
  share?: ReaderShare;
  /** Called when damage has been repaired; default: a process warning. */
  onWarning?: (message: string) => void;
} & Partial<ArchiveBounds>;

export type OpenArchive = Archive & {
  version(): number | null;
};

/**
 * Creates the archive if missing. Searches run on reader threads, writes on one writer thread; the
 * caller's thread analyses changes. Errors: `newer_schema`, `not_writable`, `disk_full`,
 * `archive_damaged`.
 */
export async function openArchive(settings: ArchiveSettings): Promise<OpenArchive> {
  const { clock, readers: readerCount } = settings;
  const bounds = { ...archiveDefaults, ...settings };
  const folder = join(settings.dataDir, "archive");
  const uriKey = prepareCatalog(folder);
  const version = watchVersion(folder);
  const threads = startArchiveThreads(folder, bounds, {
    readers: readerCount,
    segmentPosts: bounds.segmentPosts,
    share: settings.share ?? createReaderShare(settings),
    hasCompaction: settings.compaction === "on",
  });
  const { writer, readers, compaction } = threads;
  const verification = new Verification(() =>
    verifyCatalog({
      // Other readers stay free to report readiness.
      check: () => archiveErrors(readers.first.call("checkCatalog", null)),
      repair: () => archiveErrors(writer.call("repairCatalog", null)),
      onWarning: settings.onWarning ?? ((message) => process.emitWarning(message)),
    }),
  );
  const preparation = { uriKey, detectLanguage: settings.detectLanguage ?? "on" };
  const writes = new ArchiveWrites({ threads, verification, preparation, clock });
  const closeController = new AbortController();
  const countLoop = applyCountsPeriodically(writer, verification, {
    clock,
    delayMs: bounds.countDelayMs,
    signal: closeController.signal,
  });

  return {
    ...createArchiveReads(readers, verification, bounds.maxBytes),
    write: writes.write,
    preparation,
    importPosts: writes.importPosts,
    finishImport: writes.finishImport,
    withLanguages: writes.withLanguages,
    compactionState: async () => {
      await verification.wait();
      return (await compaction?.call("state", null)) ?? null;
    },
    verified: () => verification.ended,
    version: () => (verification.isDone ? version.read() : null),
    load: threads.load,
    close: async () => {
      closeController.abort();
      await countLoop;
      version.close();
      await threads.close();
    },
  };
}

const versionCacheKib = 64;

function watchVersion(folder: string): { read(): number | null; close(): void } {
  const catalog = openForReading(catalogPath(folder), versionCacheKib);
  const statement = catalog.prepare("PRAGMA data_version");
  return {
    read: () => {
      try {
        return Number(statement.get()?.data_version);
      } catch {
        return null;
      }
    },
    close: () => catalog.close(),
  };
}

/** Also removes expired labels. Failures are retried in the next round. */
async function applyCountsPeriodically(
  writer: Pick<Thread<WriterMethods>, "call">,
  verification: Verification,
  { clock, delayMs, signal }: { clock: Clock; delayMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(delayMs, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      await verification.wait();
      await writer.call("expire", clock.now());
      await writer.call("closeCounts", null);
      while (!signal.aborted && (await writer.call("addCounts", null)));
    } catch {
      // Calls of `write` report the same error.
    }
  }
}

/** Returns the key of the uri hashes, which never changes. */
function prepareCatalog(folder: string): string {
  try {
    makePrivateFolder(folder);
    requireWritable(folder);
    const catalog = openCatalog(folder);
    const uriKey = intactUriKey(catalog, folder);
    ensureStoreId(dirname(folder), "archive", archiveId(uriKey));
    return uriKey;
  } catch (error) {
    throw folderError(error, folder);
  }
}

function intactUriKey(catalog: DatabaseSync, folder: string): string {
  try {
    requireIntactStartupTables(catalog, catalogPath(folder));
    return readUriKey(catalog);
  } finally {
    catalog.close();
  }
}
