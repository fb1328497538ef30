/**
 * Runs in the process that first acquired the compaction lock. After each step, it pauses for as
 * long as the step took, leaving half of the time for searches and batches.
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
const closing = new AbortController();
let running: { lock: FileLock; context: CompactionContext; compaction: Compaction } | null = null;
let steps: CompactionSteps<boolean> | null = null;

const pause = (ms: number): Promise<void> => systemClock.sleep(ms, closing.signal);

async function runCompaction(): Promise<void> {
  while (!closing.signal.aborted) {
    running ??= start();
    const isBusy = running !== null && (await runSteps(running.compaction.runNext()));
    if (!isBusy) await pause(pollIntervalMs);
  }
}

function start(): typeof running {
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
      const startedAt = systemClock.elapsed();
      const step = work.next();
      if (step.done) return step.value;
      const tookMs = Math.min(systemClock.elapsed() - startedAt, maxPauseMs);
      await pause(step.value === "waiting" ? lockPauseMs : tookMs);
    }
  } finally {
    steps = null;
  }
}

function stateNow(): CompactionState {
  return running?.compaction.state() ?? unknownState("other-process", bounds.maxBytes);
}

function end(): void {
  closing.abort();
  steps?.return(false);
  running?.context.catalog.close();
  running?.lock.release();
  running = null;
}

const methods = { state: stateNow };

export type CompactionMethods = typeof methods;

serveMethods<CompactionMethods>(methods, end);

/** Starting may fail, for example on a full disk, and is then retried. */
async function runForever(): Promise<void> {
  while (!closing.signal.aborted) {
    await runCompaction().catch(() => undefined);
    await pause(pollIntervalMs).catch(() => undefined);
  }
}

void runForever();
