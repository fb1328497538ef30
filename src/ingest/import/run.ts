import { type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CoverageInterval } from "../../archive/archive.ts";
import type { PackedPosts } from "../../archive/bulk/packed-posts.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { AnalysedBatch } from "../analysis/analysed-batch.ts";
import { analysedBatches } from "../analysis/analysed-batches.ts";
import { createRecordCounts } from "../analysis/read-lines.ts";
import type { ImportFormat } from "./formats/format.ts";
import type { ImportRequest, ImportSummary } from "./import-file.ts";
import type { ImportProgress } from "./progress.ts";
import type { ImportSource } from "./source.ts";

type ImportContext = {
  source: ImportSource;
  format: ImportFormat;
  checkpointName: string | null;
  previousProgress: ImportProgress;
  rejectedFile: RejectedFile;
};

type Tally = Omit<ImportSummary, "alreadyImported" | "coverage" | "seconds">;

export function createFileImport(request: ImportRequest, context: ImportContext) {
  const { archive, analysis, clock, limits, onBadLine } = request;
  const { source, format, checkpointName, previousProgress, rejectedFile } = context;
  const totals = { imported: 0, updated: 0, unchanged: 0 };
  const counts = createRecordCounts();
  let rejectedCount = 0;
  let progress = previousProgress;
  let posts = 0;
  let pendingWrite: Promise<void> = Promise.resolve();
  let precedingWrite: Promise<void> = Promise.resolve();
  let failure: { reason: unknown } | null = null;

  async function readAll(): Promise<void> {
    const batchesRequest = { source, analysis, clock, limits, onBadLine, from: previousProgress };
    for await (const batch of analysedBatches(format, batchesRequest)) {
      if (batch.isStopped) return await rejectImport(batch);
      await importBatch(batch);
      report();
      request.signal?.throwIfAborted();
    }
    report();
  }

  const report = (): void =>
    request.onProgress?.({
      posts,
      bytesRead: source.bytesRead(),
      totalBytes: source.totalBytes,
    });

  async function importBatch({ packedPosts, rejections, ...batch }: AnalysedBatch): Promise<void> {
    counts.merge(batch.counts);
    posts += batch.posts;
    rejectedCount += rejections.length;
    const lines = rejections.map(({ raw }) =>
      Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
    );
    if (progress.rejected === 0 && lines.length > 0 && batch.head !== null)
      lines.unshift(batch.head);
    await rejectedFile.append(lines);
    for (const { line, reason } of rejections) {
      request.onRejected?.({ file: source.name, line, reason });
    }
    progress = {
      ...progress,
      ...batch.end,
      rejected: progress.rejected + rejections.length,
      rejectedBytes: rejectedFile.size(),
    };
    if (packedPosts !== null || rejections.length > 0) await writeBatch(packedPosts, []);
  }

  async function rejectImport(batch: AnalysedBatch): Promise<never> {
    const lastRejection = batch.rejections.at(-1);
    await importBatch({ ...batch, rejections: [] });
    await pendingWrite;
    throw new EarshotError(
      "import_rejected",
      `${source.name}:${lastRejection?.line}: ${lastRejection?.reason}`,
      {
        status: 400,
        hint: "fix the line, or remove --strict to write bad lines to the rejected file and import the rest",
      },
    );
  }

  async function writeBatch(
    packedPosts: PackedPosts | null,
    coverage: readonly CoverageInterval[],
  ): Promise<void> {
    const value = JSON.stringify(progress);
    await precedingWrite;
    if (failure !== null) throw failure.reason;
    precedingWrite = pendingWrite;
    pendingWrite = write({
      posts: packedPosts,
      checkpoints: checkpointName === null ? [] : [{ name: checkpointName, value }],
      coverage,
    });
    pendingWrite.catch((reason: unknown) => {
      failure ??= { reason };
    });
  }

  async function write(
    batch: Parameters<ImportRequest["archive"]["importPosts"]>[0],
  ): Promise<void> {
    const { inserted, updated, unchanged, suppressed } = await archive.importPosts(batch);
    totals.imported += inserted;
    totals.updated += updated;
    totals.unchanged += unchanged + suppressed;
  }

  async function finish(coverage: readonly CoverageInterval[]): Promise<void> {
    progress = { ...progress, done: true };
    await writeBatch(null, coverage);
    await pendingWrite;
  }

  return {
    readAll,
    finish,
    settle: () => pendingWrite.catch(() => {}),
    progress: () => progress,
    tally: (): Tally => ({
      resumedAfterLines: previousProgress.done ? 0 : previousProgress.lines,
      ...totals,
      rejected: rejectedCount,
      totalRejected: progress.rejected,
      rejectedFile: rejectedFile.path(),
      ...counts.snapshot(),
    }),
  };
}

type RejectedFile = {
  path(): string | null;
  size(): number;
  append(lines: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
};

export type RejectedFileOptions = {
  file: string;
  dataDir: string;
  preservedBytes: number;
  startedAtMs: number | null;
};

/**
 * Writes to `<file>.rejected` next to the imported file, or in `dataDir` if that folder is not
 * writable; for standard input, to `stdin-<time>.rejected` in `dataDir`.
 */
export function createRejectedFile(options: RejectedFileOptions): RejectedFile {
  const { file, dataDir, preservedBytes, startedAtMs } = options;
  let handle: FileHandle | null = null;
  let path: string | null = null;
  let size = preservedBytes;

  async function openFirstWritable(): Promise<FileHandle> {
    const inDataDir = join(dataDir, file === "-" ? "stdin" : basename(file));
    const basePaths = file === "-" ? [inDataDir] : [file, inDataDir];
    let error: unknown = null;
    for (const candidate of basePaths.flatMap(candidatePaths)) {
      try {
        const openedHandle = await open(candidate, getOpenFlags(), 0o600);
        path = candidate;
        size = Math.min(preservedBytes, (await openedHandle.stat()).size);
        await openedHandle.truncate(size);
        return openedHandle;
      } catch (thrown) {
        error = thrown;
      }
    }
    throw error;
  }

  function candidatePaths(basePath: string): string[] {
    if (startedAtMs === null) return [`${basePath}.rejected`];
    const stamp = isoTime(startedAtMs).replaceAll(":", "-");
    return Array.from(
      { length: maxRunsAtOnce },
      (_unused, index) => `${basePath}-${stamp}${index === 0 ? "" : `-${index + 1}`}.rejected`,
    );
  }

  function getOpenFlags(): "wx" | "a" | "w" {
    if (startedAtMs !== null) return "wx";
    return preservedBytes > 0 ? "a" : "w";
  }

  async function append(lines: readonly Buffer[]): Promise<void> {
    if (lines.length === 0) return;
    handle ??= await openFirstWritable();
    const bytes = Buffer.concat(lines.flatMap((line) => [line, lineEnd]));
    await handle.appendFile(bytes);
    size += bytes.length;
  }

  return {
    path: () => path,
    size: () => size,
    append,
    close: async () => {
      await handle?.close();
    },
  };
}

const maxRunsAtOnce = 100;
const lineEnd = Buffer.from("\n");
