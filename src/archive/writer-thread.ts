import { reply, serveThread, threadData } from "../lib/thread.ts";
import { openCatalog } from "./open-catalog.ts";
import { createBatchWriter, type PreparedBatch } from "./write-batch.ts";

/** The one thread of this process that writes the archive. */
export type WriterThreadData = { folder: string; segmentPosts: number };

const { folder, segmentPosts } = threadData<WriterThreadData>();
const writer = createBatchWriter(folder, openCatalog(folder), segmentPosts);

serveThread(
  (calls) => calls.map((call) => reply(call, ({ args }) => writer.write(args as PreparedBatch))),
  () => writer.close(),
);
