import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createAttempts } from "./attempts.ts";

test("the attempts by an account are limited per minute, independently of other accounts", async () => {
  const clock = createManualClock();
  const attempts = createAttempts(2, clock);
  expect([attempts.take("ann"), attempts.take("ann")]).toEqual([0, 0]);
  await clock.advance(1_000);
  expect(attempts.take("ann")).toBe(59_000);
  expect(attempts.take("ben")).toBe(0);
  await clock.advance(59_000);
  expect(attempts.take("ann")).toBe(0);
});

test("recent attempts by an account still count after many other accounts have made attempts", async () => {
  const clock = createManualClock();
  const attempts = createAttempts(1, clock);
  for (let account = 0; account < 1_500; account += 1) attempts.take(`account ${account}`);
  expect(attempts.take("account 0")).toBe(60_000);
  await clock.advance(60_000);
  expect(attempts.take("account 0")).toBe(0);
});
