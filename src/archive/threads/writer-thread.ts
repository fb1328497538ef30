import { serveMethods, threadData } from "../../db/threads/serve.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ImportBatch } from "../archive.ts";
import { createArchiveWriter } from "../bulk/archive-writer.ts";
import { catalogPath } from "../catalog/catalog.ts";
import { requireIntactCatalog } from "../catalog/intact-catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import type { PreparedBatch } from "../write/write-batch.ts";

export type WriterThreadData = {
  folder: string;
  segmentPosts: number;
  maxBytes: number;
  sealPosts: number | null;
};

const { folder, sealPosts, ...settings } = threadData<WriterThreadData>();
const catalog = openCatalog(folder);
const writer = createArchiveWriter(folder, catalog, {
  ...settings,
  sealedImport: sealPosts === null ? null : { minPosts: sealPosts, now: systemClock.now },
});

const methods = {
  repairCatalog: () => requireIntactCatalog(catalog, catalogPath(folder)),
  write: (batch: PreparedBatch) => writer.write(batch),
  import: (batch: ImportBatch) => writer.importPosts(batch),
  finishImport: () => writer.finishImport(),
  closeCounts: () => writer.closeCounts(),
  addCounts: () => writer.addCounts(),
  expire: (nowMs: number) => writer.expire(nowMs),
};

export type WriterMethods = typeof methods;

serveMethods<WriterMethods>(methods, () => writer.close());
