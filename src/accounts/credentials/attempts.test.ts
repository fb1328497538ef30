import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createAttempts } from "./attempts.ts";

test("an account has so many attempts a minute, whatever others do", async () => {
  const clock = createManualClock();
  const attempts = createAttempts(2, clock);
  expect([attempts.take("ann"), attempts.take("ann")]).toEqual([0, 0]);
  await clock.advance(1_000);
  expect(attempts.take("ann")).toBe(59_000);
  expect(attempts.take("ben")).toBe(0);
  await clock.advance(59_000);
  expect(attempts.take("ann")).toBe(0);
});

test("it is kept while others come and go", async () => {
  const clock = createManualClock();
  const attempts = createAttempts(1, clock);
  for (let account = 0; account < 1_500; account += 1) attempts.take(`account ${account}`);
  expect(attempts.take("account 0")).toBe(60_000);
  await clock.advance(60_000);
  expect(attempts.take("account 0")).toBe(0);
});
