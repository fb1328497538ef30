import { systemClock } from "../../lib/clock.ts";
import { serveThreadInSlices, type ThreadCall, threadData } from "../../lib/thread.ts";
import { checkCatalog } from "../catalog/verify-catalog.ts";
import { createRecordCache } from "../read/record-cache.ts";
import { useIdMemory } from "../sealed/id-memory.ts";
import type { SharedIdMemory } from "../sealed/shared-pages.ts";
import { createSealedMemory } from "../segments/sealed-part.ts";
import { type SharedVerifiedFiles, useVerifiedFiles } from "../segments/verified-files.ts";
import { createReader, type ReaderOperations, type ReaderSteps } from "./reader.ts";
import { createReaderScheduler, type ReaderTask, type Slice } from "./reader-scheduler.ts";
import { isStopped } from "./stop-flags.ts";

export type ReaderThreadData = {
  folder: string;
  /** Page cache of all open segments together, KiB. */
  cacheKib: number;
  stopFlags: Int32Array;
  /** Shared by all reader threads, as are `verifiedFiles`. */
  ids: SharedIdMemory;
  verifiedFiles: SharedVerifiedFiles;
  /** Cached terms per thread, bytes. */
  termMemoryBytes: number;
  /** Rendered records per thread, bytes. */
  recordMemoryBytes: number;
};

/** How long a call runs before it yields to pending ones, milliseconds. */
const sliceMs = 8;

const { folder, cacheKib, stopFlags, ids, verifiedFiles, termMemoryBytes, recordMemoryBytes } =
  threadData<ReaderThreadData>();
const memory = createSealedMemory(
  termMemoryBytes,
  useIdMemory(ids),
  useVerifiedFiles(verifiedFiles),
);
const records = createRecordCache(recordMemoryBytes);
const reader = createReader(folder, cacheKib, systemClock, stopFlags, memory, records);

type Asked = { account?: string; stopFlag?: number | null } | null;

function taskOf({ method, args }: ThreadCall, slice: Slice): ReaderTask {
  const asked = args as Asked;
  const isSearch = method === "search" || method === "count" || method === "stats";
  return {
    kind: isSearch ? "search" : "read",
    account: (isSearch ? asked?.account : undefined) ?? "",
    isCancelled: () => isSearch && isStopped(stopFlags, asked?.stopFlag),
    steps: stepsOf(method, args, slice),
  };
}

function* stepsOf(method: string, args: unknown, slice: Slice): Generator<void, unknown> {
  if (method === "checkCatalog") return yield* checkCatalog(folder, slice.isOver);
  if (!(method in reader.steps)) {
    return reader.operations[method as keyof ReaderOperations](args as never);
  }
  // Monotonic, because a wall-clock adjustment would shift the deadline.
  const startMs = systemClock.now() - systemClock.elapsed();
  const clock = { now: () => startMs + systemClock.elapsed(), elapsed: systemClock.elapsed };
  const turn = { clock, isSliceOver: slice.isOver };
  return yield* reader.steps[method as keyof ReaderSteps](args as never, turn);
}

serveThreadInSlices(createReaderScheduler({ taskOf, sliceMs, elapsed: systemClock.elapsed }), () =>
  reader.close(),
);
