import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock } from "./clock.ts";

const sliceMs = 10;

/** The result, awaited in each iteration of a long loop, yields once the slice is used up. */
export function startSlices(clock: Pick<Clock, "elapsed">): () => Promise<void> | undefined {
  let endMs = clock.elapsed() + sliceMs;
  return () => (clock.elapsed() < endMs ? undefined : next());

  async function next(): Promise<void> {
    await yieldToEventLoop();
    endMs = clock.elapsed() + sliceMs;
  }
}
