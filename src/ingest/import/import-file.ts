import type { Readable } from "node:stream";
import type { Archive, CoverageInterval } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Platform } from "../../posts/post.ts";
import type { ImportAnalysis } from "../analysis/import-analysis.ts";
import type { ImportFormat } from "./formats/format.ts";
import { ndjsonFormat } from "./formats/ndjson.ts";
import { noProgress, progressName, readProgress } from "./progress.ts";
import { createRejectedFile } from "./rejected-file.ts";
import { startRun } from "./run.ts";
import type { ImportLimits } from "./settings.ts";
import { openImportSource } from "./source.ts";

/**
 * Imports one file of records into the archive: a JSON object a line, or another format.
 *
 * A bad record is counted, reported, written to the rejected file and never stops the rest. With each batch goes, in one step,
 * how far the file has been taken: an import that was ended at any moment continues there, and one that came to its end is
 * not done again unless the file has changed. Chunks are parsed and analysed on other threads while those before them are
 * written: a bounded number of them is in memory.
 */
export type ImportRequest = {
  archive: Pick<Archive, "importPosts" | "readCheckpoint">;
  analysis: ImportAnalysis;
  clock: Clock;
  /** A path, or `-` for `standardInput`. */
  file: string;
  standardInput: Readable;
  platform: Platform;
  /** NDJSON when left out. */
  format?: ImportFormat;
  /** The folder for rejected lines that have none of their own. */
  dataDir: string;
  /** The time that the file holds completely, as its owner declares; null when he does not. */
  covers: { fromMs: number; toMs: number } | null;
  onBadLine: "reject" | "stop";
  limits: ImportLimits;
  onProgress?: (progress: { posts: number; readBytes: number; totalBytes: number | null }) => void;
  onRejected?: (rejection: { file: string; line: number; reason: string }) => void;
  signal?: AbortSignal;
};

export type ImportSummary = {
  /** True when the file had been imported to its end before: nothing was read. */
  alreadyImported: boolean;
  /** Lines that an earlier, interrupted run had taken. */
  resumedAfterLines: number;
  imported: number;
  updated: number;
  /** Held already, or kept out because the post was deleted. */
  unchanged: number;
  rejected: number;
  /** Lines of this file that were rejected by this run and those that it continues. */
  rejectedInAll: number;
  rejectedFile: string | null;
  /** Names of fields that the record form does not have, with how often they came. */
  ignoredFields: ReadonlyMap<string, number>;
  /** Records that are valid and not imported, such as posts that are not public: how many, by the reason. */
  leftOut: ReadonlyMap<string, number>;
  /** Whether the declared coverage was recorded: `withheld` when lines were rejected, so that it would not be true. */
  coverage: "none" | "added" | "withheld";
  seconds: number;
};

/**
 * Throws `import_unreadable`, `import_too_large` (what was read before is written first), `import_rejected` (a bad line, when
 * those stop it), what the archive throws, or the signal's reason; what was written until then stays.
 */
export async function importFile(request: ImportRequest): Promise<ImportSummary> {
  const { clock, file, standardInput, limits, archive, platform, covers } = request;
  const startedMs = clock.elapsed();
  const source = await openImportSource(file, standardInput, limits);
  try {
    const format = request.format ?? ndjsonFormat(platform);
    const name = progressName(platform, format, source);
    const before = name === null ? noProgress : await readProgress(archive, name, source);
    const rejectedFile = createRejectedFile({
      file,
      dataDir: request.dataDir,
      keptBytes: before.rejectedBytes,
      runMs: name === null ? clock.now() : null,
    });
    const run = startRun(request, { source, format, name, before, rejectedFile });
    try {
      if (!before.done) await run.readAll();
      const coverage =
        covers === null ? "none" : run.progress().rejected > 0 ? "withheld" : "added";
      if (!before.done || coverage === "added") {
        await run.finish(coverage === "added" && covers ? [declared(platform, covers)] : []);
      }
      const seconds = (clock.elapsed() - startedMs) / 1000;
      return { ...run.tally(), alreadyImported: before.done, coverage, seconds };
    } finally {
      await run.settle();
      await rejectedFile.close();
    }
  } finally {
    await source.close();
  }
}

const declared = (
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
