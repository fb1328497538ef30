import { reply, serveThread, type ThreadCall, threadData } from "../../lib/thread.ts";
import type { ImportBatch } from "../archive.ts";
import { unpackPosts } from "../bulk/packed-posts.ts";
import { catalogPath } from "../catalog/catalog.ts";
import { requireIntactCatalog } from "../catalog/intact-catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import { noChanges } from "../write/prepare.ts";
import { createBatchWriter, type PreparedBatch } from "../write/write-batch.ts";

/** The one thread of this process that writes the archive. */
export type WriterThreadData = { folder: string; segmentPosts: number; maxBytes: number };

const { folder, ...settings } = threadData<WriterThreadData>();
const catalog = openCatalog(folder);
const writer = createBatchWriter(folder, catalog, settings);

function run({ method, args }: ThreadCall): unknown {
  switch (method) {
    case "repairCatalog":
      return requireIntactCatalog(catalog, catalogPath(folder));
    case "write":
      return writer.write(args as PreparedBatch);
    case "import":
      return writer.write(importedBatch(args as ImportBatch));
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

function importedBatch({ posts, ...batch }: ImportBatch): PreparedBatch {
  const { posts: changes, handles } =
    posts === null ? { posts: [], handles: [] } : unpackPosts(posts);
  return { ...noChanges, ...batch, changes, handles };
}

serveThread(
  (calls) => calls.map((call) => reply(call, run)),
  () => writer.close(),
);
