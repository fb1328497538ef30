import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

const turnMs = 10;

/** For long loops: call it each iteration; it yields once the slice is used up. */
export function startSlices(clock: Pick<Clock, "elapsed">): () => Promise<void> | undefined {
  let endsMs = clock.elapsed() + turnMs;
  return () => (clock.elapsed() < endsMs ? undefined : next());

  async function next(): Promise<void> {
    await nextTurn();
    endsMs = clock.elapsed() + turnMs;
  }
}
