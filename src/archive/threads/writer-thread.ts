import { systemClock } from "../../lib/clock.ts";
import { reply, serveThread, type ThreadCall, threadData } from "../../lib/thread.ts";
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
  /** Posts from which on an import makes a sealed segment; null if sealing is off. */
  sealPosts: number | null;
};

const { folder, sealPosts, ...settings } = threadData<WriterThreadData>();
const catalog = openCatalog(folder);
const writer = createArchiveWriter(folder, catalog, {
  ...settings,
  sealedImport: sealPosts === null ? null : { fewestPosts: sealPosts, now: systemClock.now },
});

function run({ method, args }: ThreadCall): unknown {
  switch (method) {
    case "repairCatalog":
      return requireIntactCatalog(catalog, catalogPath(folder));
    case "write":
      return writer.write(args as PreparedBatch);
    case "import":
      return writer.importPosts(args as ImportBatch);
    case "finishImport":
      return writer.finishImport();
    case "closeCounts":
      return writer.closeCounts();
    case "addCounts":
      return writer.addCounts();
    case "expire":
      return writer.expire(args as number);
    default:
      throw new Error(`the writer knows no ${method}`);
  }
}

serveThread(
  (calls) => calls.map((call) => reply(call, run)),
  () => writer.close(),
);
