import type { Readable } from "node:stream";
import type { Archive, ArchiveChange, CoverageInterval } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import { startTurns } from "../lib/turns.ts";
import type { Platform } from "../posts/post.ts";
import { withoutControls } from "../text/controls.ts";
import type { FileRecord, ImportFormat, RecordLimits } from "./formats/format.ts";
import { ndjsonFormat } from "./formats/ndjson.ts";
import { type ImportProgress, noProgress, progressName, readProgress } from "./import-progress.ts";
import { RecordFault } from "./import-record.ts";
import { type ImportSource, openImportSource, type SourceLimits } from "./import-source.ts";
import { createRejectedFile, type RejectedFile } from "./rejected-file.ts";

/**
 * Imports one file of records into the archive: a JSON object a line, or another format.
 *
 * A bad record is counted, reported, written to the rejected file and never stops the rest. With each batch goes, in one step,
 * how far the file has been taken: an import that was ended at any moment continues there, and one that came to its end is
 * not done again unless the file has changed. While a batch is written the next one is parsed; there is never more than one
 * of each in memory.
 */
export type ImportRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint">;
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

export type ImportLimits = SourceLimits & RecordLimits;

/** EARSHOT_IMPORT_MAX_BYTES, …_MAX_RATIO, …_MAX_LINE_BYTES and …_MAX_DEPTH. */
export const defaultImportLimits: ImportLimits = {
  maxBytes: 100 * 1024 ** 3,
  maxRatio: 200,
  maxLineBytes: 1024 ** 2,
  maxDepth: 16,
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

const batchPosts = 5_000;
const batchBytes = 16 * 1024 ** 2;
/** What a line takes in memory beside its bytes. */
const lineOverheadBytes = 200;
const mostIgnoredNames = 1_000;

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

type Tally = Omit<ImportSummary, "alreadyImported" | "coverage" | "seconds">;

type Opened = {
  source: ImportSource;
  format: ImportFormat;
  /** Of the checkpoint; null for a source that cannot be read again. */
  name: string | null;
  before: ImportProgress;
  rejectedFile: RejectedFile;
};

function startRun(request: ImportRequest, { source, format, name, before, rejectedFile }: Opened) {
  const { archive, clock, limits, onBadLine } = request;
  const counts = { imported: 0, updated: 0, unchanged: 0, rejected: 0 };
  const ignoredFields = new Map<string, number>();
  const leftOut = new Map<string, number>();
  let progress = before;
  let changes: ArchiveChange[] = [];
  let rejectedLines: Buffer[] = [];
  let heldBytes = 0;
  let posts = 0;
  let writing: Promise<void> = Promise.resolve();
  let beforeLast: Promise<void> = Promise.resolve();
  let fault: { reason: unknown } | null = null;

  async function readAll(): Promise<void> {
    try {
      await takeRecords();
    } catch (fault) {
      if (isSourceFault(fault)) await writeNow();
      throw fault;
    }
    report();
  }

  async function takeRecords(): Promise<void> {
    const turns = startTurns(clock);
    for await (const records of format.records(source, { from: before, limits, clock })) {
      for (const record of records) {
        if (record.number <= before.lines) continue;
        const full = take(record);
        if (full !== undefined) await full;
        const turn = turns();
        if (turn !== undefined) await turn;
      }
      report();
      request.signal?.throwIfAborted();
    }
  }

  const report = (): void =>
    request.onProgress?.({
      posts,
      readBytes: source.readBytes(),
      totalBytes: source.totalBytes,
    });

  /** Gives a promise only when a batch is full: most records need none. */
  function take(record: FileRecord): Promise<void> | undefined {
    const reason = readRecord(record);
    if (reason !== null && onBadLine === "stop") return stopAt(record, reason);
    if (reason !== null) reject(record, reason);
    progress = { ...progress, lines: record.number, bytes: record.endOffset };
    heldBytes += record.size + lineOverheadBytes;
    const isFull =
      changes.length >= batchPosts || rejectedLines.length >= batchPosts || heldBytes >= batchBytes;
    return isFull ? writeBatch([]) : undefined;
  }

  /** Null when the record was taken, else why not. */
  function readRecord(record: FileRecord): string | null {
    try {
      const post = record.read({ nowMs: clock.now(), onIgnored: countIgnored, onLeftOut });
      if (post === null) return null;
      changes.push({ kind: "upsert", post });
      posts += 1;
      return null;
    } catch (fault) {
      if (fault instanceof RecordFault) return fault.message;
      throw fault;
    }
  }

  const onLeftOut = (reason: string): void => {
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  };

  function countIgnored(field: string): void {
    const known = ignoredFields.size < mostIgnoredNames || ignoredFields.has(field);
    const key = known ? withoutControls(field.slice(0, 100)) : "(others)";
    ignoredFields.set(key, (ignoredFields.get(key) ?? 0) + 1);
  }

  function reject(record: FileRecord, reason: string): void {
    if (progress.rejected === 0 && record.head !== null) rejectedLines.push(record.head);
    counts.rejected += 1;
    progress = { ...progress, rejected: progress.rejected + 1 };
    rejectedLines.push(Buffer.from(record.raw()));
    request.onRejected?.({ file: source.name, line: record.number, reason });
  }

  async function stopAt(record: FileRecord, reason: string): Promise<void> {
    await writeNow();
    throw new EarshotError("import_rejected", `${source.name}:${record.number}: ${reason}`, {
      status: 400,
      hint: "mend the line, or leave out --strict: bad lines are then set aside and the rest is imported",
    });
  }

  async function writeBatch(coverage: readonly CoverageInterval[]): Promise<void> {
    const batch = { changes, rejectedLines, progress, coverage };
    changes = [];
    rejectedLines = [];
    heldBytes = 0;
    await rejectedFile.append(batch.rejectedLines);
    // One batch is written while the next one is prepared; a failure comes out at a later batch or at the end.
    await beforeLast;
    if (fault !== null) throw fault.reason;
    beforeLast = writing;
    writing = write(batch, rejectedFile.size());
    writing.catch((reason: unknown) => {
      fault ??= { reason };
    });
  }

  async function write(
    batch: {
      changes: readonly ArchiveChange[];
      progress: ImportProgress;
      coverage: readonly CoverageInterval[];
    },
    rejectedBytes: number,
  ): Promise<void> {
    const value = JSON.stringify({ ...batch.progress, rejectedBytes });
    const written = await archive.write({
      changes: batch.changes,
      checkpoints: name === null ? [] : [{ name, value }],
      coverage: batch.coverage,
    });
    counts.imported += written.inserted;
    counts.updated += written.updated;
    counts.unchanged += written.unchanged + written.suppressed;
  }

  async function writeNow(coverage: readonly CoverageInterval[] = []): Promise<void> {
    await writeBatch(coverage);
    await writing;
  }

  async function finish(coverage: readonly CoverageInterval[]): Promise<void> {
    progress = { ...progress, done: true };
    await writeNow(coverage);
  }

  return {
    readAll,
    finish,
    /** Waits until nothing is being written, whatever came of it. */
    settle: () => writing.catch(() => {}),
    progress: () => progress,
    tally: (): Tally => ({
      resumedAfterLines: before.done ? 0 : before.lines,
      ...counts,
      rejectedInAll: progress.rejected,
      rejectedFile: rejectedFile.path(),
      ignoredFields,
      leftOut,
    }),
  };
}

const isSourceFault = (fault: unknown): boolean =>
  fault instanceof EarshotError &&
  (fault.code === "import_unreadable" || fault.code === "import_too_large");
