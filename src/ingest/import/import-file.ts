import type { Readable } from "node:stream";
import type { Archive, CoverageInterval } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Platform } from "../../posts/post.ts";
import type { ImportAnalysis } from "../analysis/analysed-batch.ts";
import type { ImportFormat } from "./formats/format.ts";
import { ndjsonFormat } from "./lines.ts";
import { noProgress, progressName, readProgress } from "./progress.ts";
import { createFileImport, createRejectedFile } from "./run.ts";
import type { ImportLimits } from "./settings.ts";
import { openImportSource } from "./source.ts";

export type ImportRequest = {
  archive: Pick<Archive, "importPosts" | "readCheckpoint">;
  analysis: ImportAnalysis;
  clock: Clock;
  file: string;
  standardInput: Readable;
  platform: Platform;
  format?: ImportFormat;
  dataDir: string;
  covers: { fromMs: number; toMs: number } | null;
  onBadLine: "reject" | "stop";
  limits: ImportLimits;
  onProgress?: (progress: { posts: number; bytesRead: number; totalBytes: number | null }) => void;
  onRejected?: (rejection: { file: string; line: number; reason: string }) => void;
  signal?: AbortSignal;
};

export type ImportSummary = {
  alreadyImported: boolean;
  resumedAfterLines: number;
  imported: number;
  updated: number;
  unchanged: number;
  rejected: number;
  totalRejected: number;
  rejectedFile: string | null;
  ignoredFields: ReadonlyMap<string, number>;
  /** Skipped records, such as private posts, counted by reason. */
  skipped: ReadonlyMap<string, number>;
  /** `withheld` means not added, because lines were rejected. */
  coverage: "none" | "added" | "withheld";
  seconds: number;
};

/**
 * Writes bad records to the rejected file. Each batch commits the file's progress atomically: an
 * interrupted import resumes, and a complete one is skipped unless the file has changed. Errors:
 * `import_unreadable`, `import_too_large`, `import_rejected` (strict mode). Written batches remain.
 */
export async function importFile(request: ImportRequest): Promise<ImportSummary> {
  const { clock, file, standardInput, limits, archive, platform, covers } = request;
  const startedMs = clock.elapsed();
  const source = await openImportSource(file, standardInput, limits);
  try {
    const format = request.format ?? ndjsonFormat(platform);
    const checkpointName = progressName(platform, format, source);
    const previousProgress =
      checkpointName === null ? noProgress : await readProgress(archive, checkpointName, source);
    const rejectedFile = createRejectedFile({
      file,
      dataDir: request.dataDir,
      preservedBytes: previousProgress.rejectedBytes,
      startedAtMs: checkpointName === null ? clock.now() : null,
    });
    const run = createFileImport(request, {
      source,
      format,
      checkpointName,
      previousProgress,
      rejectedFile,
    });
    try {
      if (!previousProgress.done) await run.readAll();
      const coverage =
        covers === null ? "none" : run.progress().rejected > 0 ? "withheld" : "added";
      if (!previousProgress.done || coverage === "added") {
        await run.finish(
          coverage === "added" && covers ? [declaredCoverage(platform, covers)] : [],
        );
      }
      const seconds = (clock.elapsed() - startedMs) / 1000;
      return { ...run.tally(), alreadyImported: previousProgress.done, coverage, seconds };
    } finally {
      await run.settle();
      await rejectedFile.close();
    }
  } finally {
    await source.close();
  }
}

const declaredCoverage = (
  platform: Platform,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): CoverageInterval => ({
  platform,
  collection: "posts",
  account: null,
  source: "import",
  fromMs,
  toMs,
});
