import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { Archive } from "../archive.ts";
import { catalogPath } from "../catalog/catalog.ts";
import { verifyCatalog } from "../catalog/verify-catalog.ts";
import { openForReading } from "../database.ts";
import { type ArchiveBounds, archiveDefaults } from "../settings.ts";
import { applyCountsPeriodically } from "./apply-counts-periodically.ts";
import { archiveErrors } from "./archive-errors.ts";
import { createArchiveReads } from "./archive-reads.ts";
import { createReaderShare, type ReaderShare, startArchiveThreads } from "./archive-threads.ts";
import { ArchiveWrites } from "./archive-writes.ts";
import { prepareCatalog } from "./prepare-catalog.ts";
import { Verification } from "./verification.ts";

export type ArchiveSettings = {
  dataDir: string;
  readers: number;
  segmentPosts: number;
  /** Default `on`; only for posts without a reported language. */
  detectLanguage?: "on" | "off";
  /** Default `off`: another process may run compaction. Starts with the first call of `compactionState`. */
  compaction?: "on" | "off";
  clock: Clock;
  /** Created if omitted. */
  share?: ReaderShare;
  /** Called on repaired damage; default: a process warning. */
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
  const verification = new Verification(
    verifyCatalog({
      // Other readers stay free to report readiness.
      check: () => archiveErrors(readers.first.call("checkCatalog", null)),
      repair: () => archiveErrors(writer.call("repairCatalog", null)),
      onWarning: settings.onWarning ?? ((message) => process.emitWarning(message)),
    }),
  );
  const preparation = { uriKey, detectLanguage: settings.detectLanguage ?? "on" };
  const writes = new ArchiveWrites({ threads, verification, preparation, clock });
  const closing = new AbortController();
  const counting = applyCountsPeriodically(writer, verification, {
    clock,
    delayMs: bounds.countDelayMs,
    signal: closing.signal,
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
      closing.abort();
      await counting;
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
