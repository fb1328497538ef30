import { expect, test } from "vitest";
import { plausibleLimit } from "./outcome.ts";

const nowMs = 1_800_000_000_123;
const resetIn = (ms: number) => plausibleLimit({ remaining: 3, resetMs: nowMs + ms }, nowMs);

test.each([-59_999, 0, 1, 900_000, 86_400_000])(
  "a rate-limit reset in %d ms is plausible",
  (ms) => {
    expect(resetIn(ms)).toEqual({ remaining: 3, resetMs: nowMs + ms });
  },
);

test.each([-60_000, -86_400_000, 86_401_001])("a rate-limit reset in %d ms is ignored", (ms) => {
  expect(resetIn(ms)).toBeNull();
});
