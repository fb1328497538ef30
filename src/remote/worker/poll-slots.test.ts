import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createPollSlots } from "./lease-polls.ts";

test("two may ask at a time; who gives its slot back lets the next one ask, in the order of their coming", async () => {
  const slots = createPollSlots(createManualClock());
  const order: string[] = [];
  const first = await slots.take(1_000);
  await slots.take(1_000);
  const third = slots.take(1_000).then((slot) => {
    order.push("third");
    return slot;
  });
  void slots.take(1_000).then(() => order.push("fourth"));
  first?.();
  first?.();
  (await third)?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual(["third", "fourth"]);
});

test("who gets none in time, or is to stop, is told so", async () => {
  const clock = createManualClock();
  const slots = createPollSlots(clock);
  await slots.take(0);
  await slots.take(0);
  const late = slots.take(1_000);
  await clock.advance(1_000);
  expect(await late).toBeNull();
  const stopping = new AbortController();
  const stopped = slots.take(1_000, stopping.signal);
  stopping.abort();
  expect(await stopped).toBeNull();
});
