import { reply, serveThread, threadData } from "../lib/thread.ts";
import { catalogCacheKib, catalogPath, catalogSchema } from "./catalog.ts";
import { openForWriting } from "./database.ts";
import { createBatchWriter, type PreparedBatch } from "./write-batch.ts";

/** The one thread of this process that writes the archive. */
export type WriterThreadData = { folder: string; segmentPosts: number };

const { folder, segmentPosts } = threadData<WriterThreadData>();
const catalog = openForWriting(catalogPath(folder), catalogSchema, catalogCacheKib);
const writer = createBatchWriter(folder, catalog, segmentPosts);

serveThread(
  (calls) => calls.map((call) => reply(call, ({ args }) => writer.write(args as PreparedBatch))),
  () => writer.close(),
);
