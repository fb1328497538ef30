/**
 * Compaction runs in the process that first took the compaction lock. It rests after each step as
 * long as the step took, which leaves half of the time to searches and batches.
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

const betweenLooksMs = 2_000;
const longestRestMs = 200;

const { folder, bounds } = threadData<CompactionThreadData>();
const ending = new AbortController();
let running: { lock: FileLock; context: CompactionContext; compaction: Compaction } | null = null;
let steps: CompactionSteps<boolean> | null = null;

const pause = (ms: number): Promise<void> => systemClock.sleep(ms, ending.signal);

async function runCompaction(): Promise<void> {
  while (!ending.signal.aborted) {
    running ??= start();
    const isBusy = running !== null && (await drive(running.compaction.runNext()));
    if (!isBusy) await pause(betweenLooksMs);
  }
}

/** Null while another process has the lock. */
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

async function drive(work: CompactionSteps<boolean>): Promise<boolean> {
  steps = work;
  try {
    for (;;) {
      const startedAt = systemClock.elapsed();
      const step = work.next();
      if (step.done) return step.value;
      const tookMs = Math.min(systemClock.elapsed() - startedAt, longestRestMs);
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
  ending.abort();
  steps?.return(false);
  running?.context.catalog.close();
  running?.lock.release();
  running = null;
}

const methods = { state: stateNow };

export type CompactionMethods = typeof methods;

serveMethods<CompactionMethods>(methods, end);

/** A start may fail, such as on a full disk. */
async function keepTrying(): Promise<void> {
  while (!ending.signal.aborted) {
    await runCompaction().catch(() => undefined);
    await pause(betweenLooksMs).catch(() => undefined);
  }
}

void keepTrying();
