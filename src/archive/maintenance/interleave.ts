import type { Clock } from "../../lib/clock.ts";
import { type CompactionSteps, lockPauseMs } from "../compaction/steps.ts";

export type Interleaved = { clock: Pick<Clock, "sleep">; signal: AbortSignal };

/** Yields to the event loop between steps, and ends them when aborted. */
export async function interleave<Value>(
  steps: CompactionSteps<Value>,
  { clock, signal }: Interleaved,
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
