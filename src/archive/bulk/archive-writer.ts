import type { DatabaseSync } from "node:sqlite";
import type { ImportBatch, WriteReport } from "../archive.ts";
import { noChanges, type PreparedChanges } from "../write/prepare.ts";
import { type BatchWriter, createBatchWriter, type WriterSettings } from "../write/write-batch.ts";
import { unpackPosts } from "./packed-posts.ts";
import { beginStagedImport, type StagedImport, type StagedImportContext } from "./staged-import.ts";

export type ArchiveWriter = Omit<BatchWriter, "shared"> & {
  importPosts(batch: ImportBatch): WriteReport;
  finishImport(): void;
};

export type ArchiveWriterSettings = WriterSettings & {
  /** Null disables sealed imports. */
  sealedImport: { minPosts: number; now(): number } | null;
};

export function createArchiveWriter(
  folder: string,
  catalog: DatabaseSync,
  { sealedImport, ...settings }: ArchiveWriterSettings,
): ArchiveWriter {
  const { shared, write, ...writer } = createBatchWriter(folder, catalog, settings);
  const { segmentPosts } = settings;
  const imports = createImportWriter({ ...shared, folder, segmentPosts, sealedImport, write });
  return {
    ...writer,
    write: (batch) => {
      imports.finish();
      return write(batch);
    },
    importPosts: imports.write,
    finishImport: imports.finish,
    close: () => {
      imports.discard();
      writer.close();
    },
  };
}

type PreparedImport = PreparedChanges & Pick<ImportBatch, "checkpoints" | "coverage">;

type ImportWriterOptions = Omit<StagedImportContext, "now"> & {
  sealedImport: { minPosts: number; now(): number } | null;
  write(batch: PreparedImport): WriteReport;
  rejectWhenFull(batch: PreparedImport): void;
};

type ImportWriter = {
  write(batch: ImportBatch): WriteReport;
  finish(): void;
  discard(): void;
};

function createImportWriter({
  sealedImport,
  write: writeBatch,
  rejectWhenFull,
  ...rest
}: ImportWriterOptions): ImportWriter {
  let staged: StagedImport | null = null;
  let hasOtherWriters = false;

  function write(batch: ImportBatch): WriteReport {
    const prepared = preparedOf(batch);
    if (!ensureStaged(prepared)) return writeBatch(prepared);
    rejectWhenFull(prepared);
    const report = stage(batch, prepared);
    if (report === "conflict") {
      hasOtherWriters = true;
      replay();
      return writeBatch(prepared);
    }
    if (staged?.isFull()) commitOrReplay(true);
    return report;
  }

  function ensureStaged({ changes }: PreparedImport): boolean {
    const [first] = changes;
    if (staged !== null && first !== undefined && first.platform !== staged.platform) finish();
    if (staged !== null) return true;
    if (sealedImport === null || hasOtherWriters || first === undefined) return false;
    staged = beginStagedImport({ ...rest, now: sealedImport.now }, first.platform);
    return staged !== null;
  }

  function stage(batch: ImportBatch, prepared: PreparedImport): WriteReport | "conflict" {
    try {
      return staged?.stage(batch, prepared) ?? "conflict";
    } catch (error) {
      discard();
      throw error;
    }
  }

  function finish(): void {
    if (staged !== null) commitOrReplay(staged.isFull());
  }

  function commitOrReplay(isFull: boolean): void {
    const minPosts = sealedImport?.minPosts ?? 0;
    try {
      if (staged !== null && (isFull || staged.posts() >= minPosts) && staged.commit(isFull)) {
        staged = null;
        return;
      }
    } catch (error) {
      discard();
      throw error;
    }
    replay();
  }

  function replay(): void {
    const abandoned = staged;
    if (abandoned === null) return;
    staged = null;
    abandoned.abandon();
    try {
      for (const batch of abandoned.spool.batches()) writeBatch(preparedOf(batch));
    } finally {
      abandoned.spool.close();
    }
  }

  function discard(): void {
    const abandoned = staged;
    staged = null;
    if (abandoned === null) return;
    try {
      abandoned.abandon();
    } finally {
      abandoned.spool.close();
    }
  }

  return { write, finish, discard };
}

function preparedOf({ posts, checkpoints, coverage }: ImportBatch): PreparedImport {
  const unpacked = posts === null ? null : unpackPosts(posts);
  const changes = unpacked?.posts ?? [];
  return { ...noChanges, changes, handles: unpacked?.handles ?? [], checkpoints, coverage };
}
