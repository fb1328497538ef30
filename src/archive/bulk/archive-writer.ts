import type { DatabaseSync } from "node:sqlite";
import type { ImportBatch, WriteReport } from "../archive.ts";
import { type BatchWriter, createBatchWriter, type WriterSettings } from "../write/write-batch.ts";
import { createImportWriter } from "./import-writer.ts";

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
