import { expect, test } from "vitest";
import { cacheKibPerSegment, memoryShares } from "./memory-shares.ts";
import { idsPerPage } from "./sealed/format.ts";
import { createIdCache } from "./sealed/id-cache.ts";
import { archiveDefaults } from "./settings.ts";

test("the IDs of ten segments of a million posts fit into the default memory", () => {
  const { slots } = createIdCache(memoryShares(archiveDefaults.memoryBytes, 2).ids);
  // One slot is always reserved for the next page.
  expect(slots - 1).toBeGreaterThanOrEqual(10 * Math.ceil(1_000_000 / idsPerPage));
});

test.each([1, 2, 7, 64])(
  "the shares of %d readers and the shared IDs do not exceed the memory",
  (readers) => {
    const { ids, terms, pages, records } = memoryShares(100_000_000, readers);
    const total = ids + readers * (terms + pages + records);
    expect(total).toBeLessThanOrEqual(100_000_000);
    expect(total).toBeGreaterThan(99_999_000);
  },
);

test("the page cache is divided among open segments, within limits per segment", () => {
  expect(cacheKibPerSegment(20_000, 1)).toBe(8_000);
  expect(cacheKibPerSegment(20_000, 5)).toBe(4_000);
  expect(cacheKibPerSegment(20_000, 64)).toBe(500);
});
