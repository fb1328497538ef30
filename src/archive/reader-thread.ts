import { systemClock } from "../lib/clock.ts";
import { reply, serveThread, type ThreadCall, threadData } from "../lib/thread.ts";
import { createReader, type ReaderOperations } from "./reader.ts";

/** One of the threads that read the archive. */
export type ReaderThreadData = { folder: string; cacheKib: number; stopFlags: Int32Array };

const { folder, cacheKib, stopFlags } = threadData<ReaderThreadData>();

/** When the clock that only goes on began, by the wall clock as it was at the beginning of the call. */
let startMs = 0;

/** A wall clock that is not put right within a call, which would be out of time then, or have too much of it. */
const clock = { now: () => startMs + systemClock.elapsed(), elapsed: systemClock.elapsed };
const reader = createReader(folder, cacheKib, clock, stopFlags);

function run({ method, args }: ThreadCall): unknown {
  startMs = systemClock.now() - systemClock.elapsed();
  const operation = reader.operations[method as keyof ReaderOperations];
  return operation(args as never);
}

serveThread(
  (calls) => calls.map((call) => reply(call, run)),
  () => reader.close(),
);
