import type { CoverageInterval } from "../../archive/archive.ts";
import type { PackedPosts } from "../../archive/bulk/packed-posts.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { AnalysedChunk } from "../analysis/analysed-chunk.ts";
import { analysedChunks } from "../analysis/analysed-chunks.ts";
import { createRecordCounts } from "../analysis/read-lines.ts";
import type { ImportFormat } from "./formats/format.ts";
import type { ImportRequest, ImportSummary } from "./import-file.ts";
import type { ImportProgress } from "./progress.ts";
import type { RejectedFile } from "./rejected-file.ts";
import type { ImportSource } from "./source.ts";

type OpenedImport = {
  source: ImportSource;
  format: ImportFormat;
  checkpointName: string | null;
  previousProgress: ImportProgress;
  rejectedFile: RejectedFile;
};

type Tally = Omit<ImportSummary, "alreadyImported" | "coverage" | "seconds">;

export function createFileImport(request: ImportRequest, opened: OpenedImport) {
  const { archive, analysis, clock, limits, onBadLine } = request;
  const { source, format, checkpointName, previousProgress, rejectedFile } = opened;
  const totals = { imported: 0, updated: 0, unchanged: 0 };
  const counts = createRecordCounts();
  let rejected = 0;
  let progress = previousProgress;
  let posts = 0;
  let pendingWrite: Promise<void> = Promise.resolve();
  let precedingWrite: Promise<void> = Promise.resolve();
  let failure: { reason: unknown } | null = null;

  async function readAll(): Promise<void> {
    const chunks = { source, analysis, clock, limits, onBadLine, from: previousProgress };
    for await (const chunk of analysedChunks(format, chunks)) {
      if (chunk.isStopped) return await rejectImport(chunk);
      await importChunk(chunk);
      report();
      request.signal?.throwIfAborted();
    }
    report();
  }

  const report = (): void =>
    request.onProgress?.({
      posts,
      readBytes: source.readBytes(),
      totalBytes: source.totalBytes,
    });

  async function importChunk({ prepared, rejections, ...chunk }: AnalysedChunk): Promise<void> {
    counts.merge(chunk.counts);
    posts += chunk.posts;
    rejected += rejections.length;
    const lines = rejections.map(({ raw }) =>
      Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
    );
    if (progress.rejected === 0 && lines.length > 0 && chunk.head !== null)
      lines.unshift(chunk.head);
    await rejectedFile.append(lines);
    for (const { line, reason } of rejections) {
      request.onRejected?.({ file: source.name, line, reason });
    }
    progress = {
      ...progress,
      ...chunk.end,
      rejected: progress.rejected + rejections.length,
      rejectedBytes: rejectedFile.size(),
    };
    if (prepared !== null || rejections.length > 0) await writeBatch(prepared, []);
  }

  async function rejectImport(chunk: AnalysedChunk): Promise<never> {
    const bad = chunk.rejections.at(-1);
    await importChunk({ ...chunk, rejections: [] });
    await pendingWrite;
    throw new EarshotError("import_rejected", `${source.name}:${bad?.line}: ${bad?.reason}`, {
      status: 400,
      hint: "fix the line, or remove --strict to write bad lines to the rejected file and import the rest",
    });
  }

  async function writeBatch(
    prepared: PackedPosts | null,
    coverage: readonly CoverageInterval[],
  ): Promise<void> {
    const value = JSON.stringify(progress);
    await precedingWrite;
    if (failure !== null) throw failure.reason;
    precedingWrite = pendingWrite;
    pendingWrite = write({
      posts: prepared,
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
      rejected,
      rejectedInAll: progress.rejected,
      rejectedFile: rejectedFile.path(),
      ...counts.all(),
    }),
  };
}
