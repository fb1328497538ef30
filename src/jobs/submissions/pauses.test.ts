import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createPauses } from "./answered-submissions.ts";

test("pauses double up to a maximum, and are short again after a reset", async () => {
  const clock = createManualClock();
  const pauses = createPauses(clock, { minMs: 10, maxMs: 30 });
  const lengthMs = async (): Promise<number> => {
    const startMs = clock.elapsed();
    while (pauses.isPaused("one")) await clock.advance(1);
    return clock.elapsed() - startMs;
  };
  await clock.advance(1);
  const lengths: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    pauses.begin("one");
    lengths.push(await lengthMs());
  }
  pauses.reset("one");
  pauses.begin("one");
  lengths.push(await lengthMs());
  expect(lengths).toEqual([10, 20, 30, 30, 10]);
});

test("a reset does not end a running pause", () => {
  const pauses = createPauses(createManualClock(), { minMs: 10, maxMs: 30 });
  pauses.beginFor("one", 60_000);
  pauses.reset("one");
  expect([pauses.isPaused("one"), pauses.isPaused("two")]).toEqual([true, false]);
});
