import { systemClock } from "../lib/clock.ts";
import { reply, serveThread, type ThreadCall, threadData } from "../lib/thread.ts";
import { createReader, type ReaderOperations } from "./reader.ts";

/** One of the threads that read the archive. */
export type ReaderThreadData = { folder: string; cacheKib: number };

const { folder, cacheKib } = threadData<ReaderThreadData>();
const reader = createReader(folder, cacheKib, systemClock);

function run({ method, args }: ThreadCall): unknown {
  const operation = reader.operations[method as keyof ReaderOperations];
  return operation(args as never);
}

serveThread(
  (calls) => calls.map((call) => reply(call, run)),
  () => reader.close(),
);
