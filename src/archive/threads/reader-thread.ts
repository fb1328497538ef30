import type { ThreadCall } from "../../db/threads/messages.ts";
import { isCancelled, serveInSlices, threadData } from "../../db/threads/serve.ts";
import { systemClock } from "../../lib/clock.ts";
import type { CatalogDamage } from "../catalog/checksums.ts";
import { checkCatalog } from "../catalog/verify-catalog.ts";
import { RecordCache } from "../read/rendered-pages.ts";
import { useIdCache } from "../sealed/id-cache.ts";
import type { SharedIdCache } from "../sealed/shared-pages.ts";
import { type SharedVerifiedFiles, useVerifiedFiles } from "../segments/integrity.ts";
import { createSealedCaches } from "../segments/sealed-index-reader.ts";
import { createReader, type ReaderOperations, type ReaderSteps } from "./reader.ts";
import { createReaderScheduler, type ReaderTask, type Slice } from "./reader-scheduler.ts";

export type ReaderThreadData = {
  folder: string;
  cacheKib: number;
  /** Shared by all reader threads, as are `verifiedFiles`. */
  ids: SharedIdCache;
  verifiedFiles: SharedVerifiedFiles;
  termCacheBytes: number;
  recordCacheBytes: number;
};

const sliceMs = 8;

const { folder, cacheKib, ids, verifiedFiles, termCacheBytes, recordCacheBytes } =
  threadData<ReaderThreadData>();
const caches = createSealedCaches(termCacheBytes, useIdCache(ids), useVerifiedFiles(verifiedFiles));
const records = new RecordCache(recordCacheBytes);
const reader = createReader(folder, cacheKib, systemClock, caches, records);

export type ReaderMethods = ReaderOperations & { checkCatalog(): CatalogDamage };

function makeTask(call: ThreadCall, slice: Slice): ReaderTask {
  const { method, args } = call;
  const request = args as { account?: string } | null;
  const isSearch = method === "search" || method === "count" || method === "stats";
  return {
    kind: isSearch ? "search" : "read",
    account: (isSearch ? request?.account : undefined) ?? "",
    isCancelled: () => isCancelled(call),
    steps: readSteps(call, slice),
  };
}

function* readSteps(call: ThreadCall, slice: Slice): Generator<void, unknown> {
  const { method, args } = call;
  if (method === "checkCatalog") return yield* checkCatalog(folder, slice.isOver);
  if (!(method in reader.steps)) {
    return reader.operations[method as keyof ReaderOperations](args as never);
  }
  // Monotonic: a wall-clock adjustment would shift the deadline.
  const startMs = systemClock.now() - systemClock.elapsed();
  const clock = { now: () => startMs + systemClock.elapsed(), elapsed: systemClock.elapsed };
  const context = { clock, isSliceOver: slice.isOver, isStopped: () => isCancelled(call) };
  return yield* reader.steps[method as keyof ReaderSteps](args as never, context);
}

serveInSlices(createReaderScheduler({ makeTask, sliceMs, elapsed: systemClock.elapsed }), () =>
  reader.close(),
);
