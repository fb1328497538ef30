import { dirname } from "node:path";
import { lockFolder } from "../../db/folder-lock.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CompactionContext } from "../compaction/context.ts";
import { removeRetiredFiles } from "../compaction/retire.ts";
import { type CompactionSteps, lockPauseMs } from "../compaction/steps.ts";

export async function removeOldFiles(
  context: CompactionContext,
  options: InterleaveOptions,
): Promise<boolean> {
  return await withoutServer(
    dirname(context.folder),
    async () => {
      await interleave(removeRetiredFiles(context, context.clock.now()), options, () => {});
      return true;
    },
    false,
  );
}

/** No server can start while `work` runs. Returns `fallback` if one is already running. */
export async function withoutServer<Value>(
  dataDir: string,
  work: () => Promise<Value>,
  fallback: Value,
): Promise<Value> {
  try {
    const serverLock = lockFolder(dataDir);
    try {
      return await work();
    } finally {
      serverLock.release();
    }
  } catch (error) {
    if (error instanceof EarshotError && error.code === "folder_in_use") return fallback;
    throw error;
  }
}

type InterleaveOptions = { clock: Pick<Clock, "sleep">; signal: AbortSignal };

/** Yields to the event loop between steps, and ends the steps when aborted. */
export async function interleave<Value>(
  steps: CompactionSteps<Value>,
  { clock, signal }: InterleaveOptions,
  onStep: (steps: number) => void,
): Promise<Value> {
  let done = false;
  try {
    for (let count = 1; ; count++) {
      const step = steps.next();
      done = step.done === true;
      if (step.done) return step.value;
      onStep(count);
      if (step.value === "waiting") await clock.sleep(lockPauseMs);
      else await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  } finally {
    if (!done) steps.return(undefined as Value);
  }
}

export const segmentNotFound = (name: string): EarshotError =>
  new EarshotError("wrong_use", `segment ${name} not found`, {
    status: 400,
    hint: "use a name such as x/3, from earshot archive stats --json",
  });
