import { reply, serveThread, type ThreadCall, threadData } from "../lib/thread.ts";
import { openCatalog } from "./open-catalog.ts";
import { createBatchWriter, type PreparedBatch } from "./write-batch.ts";

/** The one thread of this process that writes the archive. */
export type WriterThreadData = { folder: string; segmentPosts: number; maxBytes: number };

const { folder, ...settings } = threadData<WriterThreadData>();
const writer = createBatchWriter(folder, openCatalog(folder), settings);

function run({ method, args }: ThreadCall): unknown {
  switch (method) {
    case "write":
      return writer.write(args as PreparedBatch);
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
