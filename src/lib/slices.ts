import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock } from "./clock.ts";

const sliceMs = 10;

/** Slices long loops: called each iteration, it yields once the slice is used up. */
export function startSlices(clock: Pick<Clock, "elapsed">): () => Promise<void> | undefined {
  let endsMs = clock.elapsed() + sliceMs;
  return () => (clock.elapsed() < endsMs ? undefined : next());

  async function next(): Promise<void> {
    await yieldToEventLoop();
    endsMs = clock.elapsed() + sliceMs;
  }
}
