import { systemClock } from "../lib/clock.ts";
import { reply, serveThread, type ThreadCall, threadData } from "../lib/thread.ts";
import { createReader, type ReaderOperations } from "./reader.ts";
import { useIdMemory } from "./sealed/id-memory.ts";
import type { SharedIdMemory } from "./sealed/shared-pages.ts";
import { createSealedMemory } from "./segments/sealed-part.ts";

/** One of the threads that read the archive. */
export type ReaderThreadData = {
  folder: string;
  cacheKib: number;
  stopFlags: Int32Array;
  /** The IDs of sealed segments, which all of them share. */
  ids: SharedIdMemory;
  /** What each remembers of their terms, bytes. */
  termMemoryBytes: number;
};

const { folder, cacheKib, stopFlags, ids, termMemoryBytes } = threadData<ReaderThreadData>();

/** When the clock that only goes on began, by the wall clock as it was at the beginning of the call. */
let startMs = 0;

/** A wall clock that is not put right within a call, which would be out of time then, or have too much of it. */
const clock = { now: () => startMs + systemClock.elapsed(), elapsed: systemClock.elapsed };
const memory = createSealedMemory(termMemoryBytes, useIdMemory(ids));
const reader = createReader(folder, cacheKib, clock, stopFlags, memory);

function run({ method, args }: ThreadCall): unknown {
  startMs = systemClock.now() - systemClock.elapsed();
  const operation = reader.operations[method as keyof ReaderOperations];
  return operation(args as never);
}

serveThread(
  (calls) => calls.map((call) => reply(call, run)),
  () => reader.close(),
);
