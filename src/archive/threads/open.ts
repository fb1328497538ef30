import { dirname, join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ResolvedNames } from "@earshot/query/plan";
import { makePrivateFolder } from "../../db/private-files.ts";
import { noteStoreId } from "../../db/store-id.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { siblingModule, startThread, type Thread, type ThreadLoad } from "../../lib/thread.ts";
import type {
  Archive,
  ArchiveChange,
  ArchiveStats,
  CountAnswer,
  CoveredAnswer,
  Damage,
  Identified,
  ImportBatch,
  IngestedPost,
  NamedAccount,
  NamedPosition,
  PlatformCoverage,
  StoredPage,
  StoredRecords,
  WriteBatch,
  WriteReport,
} from "../archive.ts";
import { archiveId } from "../catalog/archive-id.ts";
import { catalogPath, readUriKey } from "../catalog/catalog.ts";
import { requireIntactStart } from "../catalog/intact-catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import type { CatalogDamage } from "../catalog/sums.ts";
import { verifyCatalog } from "../catalog/verify-catalog.ts";
import type { CompactionState } from "../compaction-state.ts";
import { openForReading } from "../database.ts";
import { maintenanceError, requireWritable } from "../maintenance/errors.ts";
import { memoryShares } from "../memory-shares.ts";
import { createIdMemory } from "../sealed/id-memory.ts";
import { createVerifiedFiles } from "../segments/verified-files.ts";
import { type ArchiveBounds, archiveDefaults } from "../settings.ts";
import { type Preparation, type PreparedChanges, startPreparation } from "../write/prepare.ts";
import { withLanguages } from "../write/with-languages.ts";
import type { CompactionThreadData } from "./compaction-thread.ts";
import type { ReaderThreadData } from "./reader-thread.ts";
import { createStopFlags } from "./stop-flags.ts";
import type { WriterThreadData } from "./writer-thread.ts";

export type ArchiveSettings = {
  dataDir: string;
  readers: number;
  segmentPosts: number;
  /** Default `on`; only for posts whose source names none. */
  detectLanguage?: "on" | "off";
  /** Default `off`; another process may already run compaction. */
  upkeep?: "on" | "off";
  clock: Clock;
  /** Created if omitted. */
  share?: ReaderShare;
  /** Repaired damage of the catalog; default: a process warning. */
  onWarning?: (message: string) => void;
} & Partial<ArchiveBounds>;

export type ReaderShare = Omit<ReaderThreadData, "stopFlags">;

export type OpenArchive = Archive & {
  /**
   * Changes with every commit of any process. Null while the catalog is being verified, or if unreadable. Reads the catalog
   * on the calling thread.
   */
  version(): number | null;
};

const noNames: ResolvedNames = { accounts: new Map(), posts: new Map() };

/** Page cache of the connection that only reads the version, KiB. */
const versionCacheKib = 64;

/**
 * Creates the archive if missing. Searches run on reader threads, writes on one writer thread; changes are analysed on the
 * caller's thread. The catalog is verified in the background, and every call waits for it (`verify-catalog.ts`). Errors:
 * `newer_schema`, `not_writable`, `disk_full`, `archive_damaged`.
 */
export async function openArchive(settings: ArchiveSettings): Promise<OpenArchive> {
  const { clock } = settings;
  const bounds = { ...archiveDefaults, ...settings };
  const folder = join(settings.dataDir, "archive");
  const onWarning = settings.onWarning ?? ((message) => process.emitWarning(message));
  const uriKey = prepareCatalog(folder);
  const { segmentPosts, maxBytes, countDelayMs } = bounds;
  const sealPosts = bounds.seal === "off" ? null : bounds.sealPosts;
  const writerData: WriterThreadData = { folder, segmentPosts, maxBytes, sealPosts };
  const stopFlags = createStopFlags();
  const readerData: ReaderThreadData = {
    ...(settings.share ?? createReaderShare(settings)),
    stopFlags: stopFlags.shared,
  };
  const catalog = openForReading(catalogPath(folder), versionCacheKib);
  const readVersion = catalog.prepare("PRAGMA data_version");
  const writer = startThread(siblingModule(import.meta.url, "./writer-thread"), writerData);
  const keeperData: CompactionThreadData = { folder, bounds: boundsOf(bounds) };
  const keeper =
    settings.upkeep === "on"
      ? startThread(siblingModule(import.meta.url, "./compaction-thread"), keeperData)
      : null;
  const detector = startThread(siblingModule(import.meta.url, "./language-thread"), null);
  const readers = Array.from({ length: settings.readers }, () => ({
    thread: startThread(siblingModule(import.meta.url, "./reader-thread"), readerData),
    waiting: 0,
  }));

  const damageListeners: ((damage: readonly Damage[]) => void)[] = [];

  function noticed<Answer extends { damage: readonly Damage[] }>(answer: Answer): Answer {
    if (answer.damage.length > 0) for (const listener of damageListeners) listener(answer.damage);
    return answer;
  }

  /** Waits for the verification of the catalog. */
  async function ask(method: string, args: unknown, among = readers): Promise<unknown> {
    await verified;
    return await askNow(method, args, among);
  }

  /** Calls the reader with the fewest pending calls. */
  async function askNow(method: string, args: unknown, among = readers): Promise<unknown> {
    const reader = among.reduce((a, b) => (b.waiting < a.waiting ? b : a));
    reader.waiting += 1;
    try {
      return await guarded(reader.thread, method, args);
    } finally {
      reader.waiting -= 1;
    }
  }

  const verified = verifyCatalog({
    // The other readers stay free to report readiness.
    check: async () => (await askNow("checkCatalog", null, readers.slice(0, 1))) as CatalogDamage,
    repair: async () => (await guarded(writer, "repairCatalog", null)) as string[],
    onWarning,
  });
  let isVerified = false;
  let verifyError: unknown = null;
  verified.then(
    () => {
      isVerified = true;
      // The first call starts the thread's work.
      keeper?.call("state", null).catch(() => {});
    },
    (error: unknown) => {
      verifyError = error;
    },
  );

  const detect = (texts: readonly string[]): Promise<unknown> => guarded(detector, "detect", texts);
  const languagesOf = async (
    changes: readonly ArchiveChange[],
  ): Promise<readonly ArchiveChange[]> =>
    settings.detectLanguage === "off" ? changes : await withLanguages(changes, detect);

  let lastWrite: Promise<unknown> = Promise.resolve();

  const write = (batch: WriteBatch): Promise<WriteReport> => inLine(writeAfter(lastWrite, batch));
  const importPosts = (batch: ImportBatch): Promise<WriteReport> =>
    inLine(importAfter(lastWrite, batch));

  function inLine(written: Promise<WriteReport>): Promise<WriteReport> {
    lastWrite = written;
    const forget = (): void => {
      if (lastWrite === written) lastWrite = Promise.resolve();
    };
    // Until the next event-loop turn, so that the caller learns of the failure before another batch is accepted.
    written.then(forget, () => setImmediate(forget));
    return written;
  }

  /** Prepares during the previous batch, and writes only if that one succeeded. */
  async function writeAfter(
    before: Promise<unknown>,
    { changes, checkpoints = [], coverage = [] }: WriteBatch,
  ): Promise<WriteReport> {
    const complete = await languagesOf(changes);
    const prepared = await prepareInTurns(complete, startPreparation(uriKey, clock.now()), clock);
    await before;
    await verified;
    const batch = { ...prepared, checkpoints, coverage };
    return (await guarded(writer, "write", batch)) as WriteReport;
  }

  async function importAfter(before: Promise<unknown>, batch: ImportBatch): Promise<WriteReport> {
    await verified;
    await before;
    const buffer = batch.posts?.buffer;
    const moved = buffer instanceof ArrayBuffer ? [buffer] : [];
    return (await guarded(writer, "import", batch, moved)) as WriteReport;
  }

  const closing = new AbortController();
  const counting = keepCounting(clock, countDelayMs, closing.signal, async (method, args) => {
    await verified;
    return await guarded(writer, method, args);
  });

  return {
    write,
    preparation: { uriKey, detectLanguage: settings.detectLanguage ?? "on" },
    importPosts,
    finishImport: async () => {
      await verified;
      await lastWrite;
      await guarded(writer, "finishImport", null);
    },
    search: async (request, signal) =>
      await stopFlags.during(signal, async (stopFlag) =>
        noticed((await ask("search", { ...request, stopFlag })) as CoveredAnswer),
      ),
    count: async (request, signal) =>
      // One reader for all counts, because of its cache.
      await stopFlags.during(signal, async (stopFlag) =>
        noticed((await ask("count", { ...request, stopFlag }, readers.slice(-1))) as CountAnswer),
      ),
    records: async (positions) => noticed((await ask("records", positions)) as StoredRecords),
    page: async (positions) => noticed((await ask("page", positions)) as StoredPage),
    withheld: async (names) =>
      names.length === 0 ? [] : ((await ask("withheld", names)) as boolean[]),
    resolve: async (names) => {
      if (names.accounts.length + names.posts.length === 0) return noNames;
      return (await ask("resolve", names)) as ResolvedNames;
    },
    withLanguages: async (posts) => {
      const changes = await languagesOf(posts.map((post) => ({ kind: "upsert", post })));
      return changes.flatMap((change) => (change.kind === "upsert" ? [change.post] : []));
    },
    identify: async (posts) =>
      posts.length === 0 ? [] : ((await ask("identify", posts)) as Identified[]),
    arrivals: async (after, limit) => (await ask("arrivals", { after, limit })) as IngestedPost[],
    accountsToLookUp: async (platform, beforeMs, limit) =>
      (await ask("accountsToLookUp", { platform, beforeMs, limit })) as string[],
    accountsNamed: async (name) => (await ask("accountsNamed", name)) as NamedAccount[],
    aliases: async (platform, below, limit) =>
      (await ask("aliases", { platform, below, limit })) as NamedPosition[],
    readCheckpoint: async (name) => (await ask("readCheckpoint", name)) as string | null,
    coverage: async () => (await ask("coverage", null)) as PlatformCoverage[],
    stats: async () => (await ask("stats", { maxBytes })) as ArchiveStats,
    upkeep: async () => {
      await verified;
      return ((await keeper?.call("state", null)) as CompactionState | undefined) ?? null;
    },
    verified: () => verified,
    answers: async () => {
      if (verifyError !== null) throw verifyError;
      await askNow("coverage", null);
    },
    version: () => (isVerified ? versionOf(readVersion) : null),
    onDamage: (listener) => {
      damageListeners.push(listener);
    },
    load: () => [
      { thread: "writer", ...writer.load() },
      { thread: "readers", ...sumOf(readers.map(({ thread }) => thread.load())) },
      { thread: "languages", ...detector.load() },
      ...(keeper === null ? [] : [{ thread: "upkeep" as const, ...keeper.load() }]),
    ],
    close: async () => {
      closing.abort();
      await counting;
      catalog.close();
      const others = [detector, ...readers.map(({ thread }) => thread)];
      await Promise.all([keeper, ...others].map((thread) => thread?.close()));
      // Last, because a read-only connection does not take over the write-ahead log.
      await writer.close();
    },
  };
}

function versionOf(statement: StatementSync): number | null {
  try {
    return Number(statement.get()?.data_version);
  } catch {
    return null;
  }
}

export function createReaderShare(
  settings: Pick<ArchiveSettings, "dataDir" | "readers"> & Partial<ArchiveBounds>,
): ReaderShare {
  const { memoryBytes, readers } = { ...archiveDefaults, ...settings };
  const shares = memoryShares(memoryBytes, readers);
  return {
    folder: join(settings.dataDir, "archive"),
    cacheKib: Math.floor(shares.pages / 1_024),
    ids: createIdMemory(shares.ids),
    verifiedFiles: createVerifiedFiles(),
    termMemoryBytes: shares.terms,
    recordMemoryBytes: shares.records,
  };
}

const sumOf = (loads: readonly ThreadLoad[]): ThreadLoad => ({
  waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
  busyMs: loads.reduce((sum, { busyMs }) => sum + busyMs, 0),
});

/**
 * Adds collected counts in steps between which batches are written, and removes expired labels. Failures are retried the next
 * time.
 */
async function keepCounting(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal,
  ask: (method: string, args: unknown) => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(delayMs, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      await ask("expire", clock.now());
      await ask("closeCounts", null);
      while (!signal.aborted && (await ask("addCounts", null)));
    } catch {
      // Writers get the error that keeps the archive from being written.
    }
  }
}

const boundsOf = (settings: ArchiveBounds): ArchiveBounds => ({
  countDelayMs: settings.countDelayMs,
  maxBytes: settings.maxBytes,
  maxAgeMs: settings.maxAgeMs,
  splitPosts: settings.splitPosts,
  optimiseAfterMs: settings.optimiseAfterMs,
  arrivalsKept: settings.arrivalsKept,
  retiredMs: settings.retiredMs,
  orphanedMs: settings.orphanedMs,
  seal: settings.seal,
  sealAfterMs: settings.sealAfterMs,
  sealPosts: settings.sealPosts,
  resealPercent: settings.resealPercent,
  resealEveryMs: settings.resealEveryMs,
  memoryBytes: settings.memoryBytes,
});

/** How long changes are prepared before yielding to the event loop, milliseconds. */
const turnMs = 8;

async function prepareInTurns(
  changes: readonly ArchiveChange[],
  preparation: Preparation,
  clock: Clock,
): Promise<PreparedChanges> {
  let turnEndMs = clock.elapsed() + turnMs;
  for (const change of changes) {
    preparation.add(change);
    if (clock.elapsed() < turnEndMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnEndMs = clock.elapsed() + turnMs;
  }
  return preparation.prepared();
}

/** The key of the uri hashes never changes. */
function prepareCatalog(folder: string): string {
  try {
    makePrivateFolder(folder);
    requireWritable(folder);
    const catalog = openCatalog(folder);
    const uriKey = intactUriKey(catalog, folder);
    noteStoreId(dirname(folder), "archive", archiveId(uriKey));
    return uriKey;
  } catch (error) {
    throw maintenanceError(error, folder);
  }
}

function intactUriKey(catalog: DatabaseSync, folder: string): string {
  try {
    requireIntactStart(catalog, catalogPath(folder));
    return readUriKey(catalog);
  } finally {
    catalog.close();
  }
}

const unnamed: readonly string[] = ["internal", "disk_error"];

/** Maps SQLite's own errors (disk full, no access, damage) to error codes. */
async function guarded(
  thread: Thread,
  method: string,
  args: unknown,
  moved: readonly ArrayBuffer[] = [],
): Promise<unknown> {
  try {
    return await thread.call(method, args, moved);
  } catch (error) {
    if (error instanceof EarshotError && !unnamed.includes(error.code)) throw error;
    throw new EarshotError(
      "archive_unavailable",
      `the archive cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      {
        status: 503,
        retryable: true,
        hint: "check free space and permissions of the data folder",
        cause: error,
      },
    );
  }
}
