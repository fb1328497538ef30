import type { DatabaseSync } from "node:sqlite";
import type { ImportBatch, WriteReport } from "../archive.ts";
import { noChanges, type PreparedChanges } from "../write/prepare.ts";
import { type BatchWriter, createBatchWriter, type WriterSettings } from "../write/write-batch.ts";
import { unpackPosts } from "./packed-posts.ts";
import { beginStagedImport, type StagedImport, type StagedImportContext } from "./staged-import.ts";

export type ArchiveWriter = Omit<BatchWriter, "internals"> & {
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
  const { internals, write, ...writer } = createBatchWriter(folder, catalog, settings);
  const { segmentPosts } = settings;
  const imports = createImportWriter({ ...internals, folder, segmentPosts, sealedImport, write });
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
  let stagedImport: StagedImport | null = null;
  let hasOtherWriters = false;

  function write(batch: ImportBatch): WriteReport {
    const preparedBatch = prepareBatch(batch);
    if (!ensureStaged(preparedBatch)) return writeBatch(preparedBatch);
    rejectWhenFull(preparedBatch);
    const report = stage(batch, preparedBatch);
    if (report === "conflict") {
      hasOtherWriters = true;
      replay();
      return writeBatch(preparedBatch);
    }
    if (stagedImport?.isFull()) commitOrReplay(true);
    return report;
  }

  function ensureStaged({ changes }: PreparedImport): boolean {
    const [first] = changes;
    if (stagedImport !== null && first !== undefined && first.platform !== stagedImport.platform)
      finish();
    if (stagedImport !== null) return true;
    if (sealedImport === null || hasOtherWriters || first === undefined) return false;
    stagedImport = beginStagedImport({ ...rest, now: sealedImport.now }, first.platform);
    return stagedImport !== null;
  }

  function stage(batch: ImportBatch, preparedBatch: PreparedImport): WriteReport | "conflict" {
    try {
      return stagedImport?.stage(batch, preparedBatch) ?? "conflict";
    } catch (error) {
      discard();
      throw error;
    }
  }

  function finish(): void {
    if (stagedImport !== null) commitOrReplay(stagedImport.isFull());
  }

  function commitOrReplay(isFull: boolean): void {
    const minPosts = sealedImport?.minPosts ?? 0;
    try {
      if (
        stagedImport !== null &&
        (isFull || stagedImport.posts() >= minPosts) &&
        stagedImport.commit(isFull)
      ) {
        stagedImport = null;
        return;
      }
    } catch (error) {
      discard();
      throw error;
    }
    replay();
  }

  function replay(): void {
    const abandonedImport = stagedImport;
    if (abandonedImport === null) return;
    stagedImport = null;
    abandonedImport.abandon();
    try {
      for (const batch of abandonedImport.spool.batches()) writeBatch(prepareBatch(batch));
    } finally {
      abandonedImport.spool.close();
    }
  }

  function discard(): void {
    const abandonedImport = stagedImport;
    stagedImport = null;
    if (abandonedImport === null) return;
    try {
      abandonedImport.abandon();
    } finally {
      abandonedImport.spool.close();
    }
  }

  return { write, finish, discard };
}

function prepareBatch({ posts, checkpoints, coverage }: ImportBatch): PreparedImport {
  const unpacked = posts === null ? null : unpackPosts(posts);
  const changes = unpacked?.posts ?? [];
  return { ...noChanges, changes, handles: unpacked?.handles ?? [], checkpoints, coverage };
}
