import { expect, test } from "vitest";
import { idsOfPage } from "./sealed/format.ts";
import { createIdMemory } from "./sealed/id-memory.ts";
import { archiveDefaults } from "./settings.ts";

test("the IDs of ten segments of a million posts find room by default", () => {
  const { slots } = createIdMemory(archiveDefaults.idMemoryBytes);
  // One slot is always given up for the next page.
  expect(slots - 1).toBeGreaterThanOrEqual(10 * Math.ceil(1_000_000 / idsOfPage));
});
