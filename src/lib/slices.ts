import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** Longest time the event loop is held before others get their turn. */
const turnMs = 10;

/** For long loops: the call in each round lets others run once the turn is over, and costs next to nothing before. */
export function startSlices(clock: Pick<Clock, "elapsed">): () => Promise<void> | undefined {
  let endsMs = clock.elapsed() + turnMs;
  return () => (clock.elapsed() < endsMs ? undefined : next());

  async function next(): Promise<void> {
    await nextTurn();
    endsMs = clock.elapsed() + turnMs;
  }
}
