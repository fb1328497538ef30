/**
 * Runs in the process that first acquired the compaction lock. After each step, it pauses for as
 * long as the step took, up to `maxPauseMs`, leaving time for searches and batches.
 */

import type { FileLock } from "../../db/folder-lock.ts";
import { serveMethods, threadData } from "../../db/threads/serve.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Compaction, createCompaction } from "../compaction/compaction.ts";
import { type CompactionContext, compactionContext } from "../compaction/context.ts";
import { lockCompaction } from "../compaction/lock.ts";
import { type CompactionSteps, lockPauseMs } from "../compaction/steps.ts";
import { type CompactionState, unknownState } from "../compaction-state.ts";
import type { ArchiveBounds } from "../settings.ts";

export type CompactionThreadData = { folder: string; bounds: ArchiveBounds };

const pollIntervalMs = 2_000;
const maxPauseMs = 200;

const { folder, bounds } = threadData<CompactionThreadData>();
const closeController = new AbortController();
let runningCompaction: {
  lock: FileLock;
  context: CompactionContext;
  compaction: Compaction;
} | null = null;
let steps: CompactionSteps<boolean> | null = null;

const pause = (ms: number): Promise<void> => systemClock.sleep(ms, closeController.signal);

async function runCompaction(): Promise<void> {
  while (!closeController.signal.aborted) {
    runningCompaction ??= start();
    const isBusy =
      runningCompaction !== null && (await runSteps(runningCompaction.compaction.runNext()));
    if (!isBusy) await pause(pollIntervalMs);
  }
}

function start(): typeof runningCompaction {
  const lock = lockCompaction(folder);
  if (lock === null) return null;
  try {
    const context = compactionContext(folder, bounds, systemClock);
    return { lock, context, compaction: createCompaction(context) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function runSteps(work: CompactionSteps<boolean>): Promise<boolean> {
  steps = work;
  try {
    for (;;) {
      const startMs = systemClock.elapsed();
      const step = work.next();
      if (step.done) return step.value;
      const tookMs = Math.min(systemClock.elapsed() - startMs, maxPauseMs);
      await pause(step.value === "waiting" ? lockPauseMs : tookMs);
    }
  } finally {
    steps = null;
  }
}

function currentState(): CompactionState {
  return runningCompaction?.compaction.state() ?? unknownState("other-process", bounds.maxBytes);
}

function end(): void {
  closeController.abort();
  steps?.return(false);
  runningCompaction?.context.catalog.close();
  runningCompaction?.lock.release();
  runningCompaction = null;
}

const methods = { state: currentState };

export type CompactionMethods = typeof methods;

serveMethods<CompactionMethods>(methods, end);

/** Starting may fail, for example on a full disk, and is then retried. */
async function runForever(): Promise<void> {
  while (!closeController.signal.aborted) {
    await runCompaction().catch(() => undefined);
    await pause(pollIntervalMs).catch(() => undefined);
  }
}

void runForever();
