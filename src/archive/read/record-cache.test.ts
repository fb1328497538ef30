import { expect, test } from "vitest";
import { createRecordCache, type RecordBytes } from "./record-cache.ts";

const version = { path: "bluesky/000001.db", writtenIn: 3, catalog: null };
const textOf = (found: RecordBytes | null): string | null =>
  found?.arena.toString("utf8", found.start, found.end) ?? null;

test("a record is found in UTF-8 under its version alone", () => {
  const cache = createRecordCache(10_000);
  cache.add(1n, version, '"ä 🙂"');
  expect(textOf(cache.find(1n, version))).toBe('"ä 🙂"');
  expect(cache.find(2n, version)).toBeNull();
  expect(cache.find(1n, { ...version, writtenIn: 4 })).toBeNull();
  expect(cache.find(1n, { ...version, path: "x/000001.db" })).toBeNull();
});

test("a record that depends on the catalog is found under its version of the catalog alone", () => {
  const cache = createRecordCache(10_000);
  cache.add(1n, { ...version, catalog: 7 }, "null");
  expect(textOf(cache.find(1n, { ...version, catalog: 7 }))).toBe("null");
  expect(cache.find(1n, { ...version, catalog: 8 })).toBeNull();
});

test("records that are used stay, the others make room", () => {
  const cache = createRecordCache(20_000);
  cache.add(0n, version, '"used"');
  cache.add(1n, version, '"unused"');
  for (let id = 2n; id < 200n; id += 1n) {
    cache.add(id, version, `"${"a".repeat(200)}"`);
    expect(textOf(cache.find(0n, version))).toBe('"used"');
  }
  expect(cache.find(1n, version)).toBeNull();
});

test("no more bytes are referenced than allowed", () => {
  const cache = createRecordCache(20_000);
  const arenas = new Set<Buffer>();
  for (let id = 0n; id < 500n; id += 1n) cache.add(id, version, `"${"a".repeat(100)}"`);
  let records = 0;
  for (let id = 0n; id < 500n; id += 1n) {
    const found = cache.find(id, version);
    if (found === null) continue;
    arenas.add(found.arena);
    records += 1;
  }
  expect(records).toBeGreaterThan(20);
  expect([...arenas].reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(20_000);
});

test("a record longer than the cache is returned and not kept", () => {
  const cache = createRecordCache(1_000);
  expect(textOf(cache.add(1n, version, `"${"ä".repeat(2_000)}"`))).toHaveLength(2_002);
  expect(cache.find(1n, version)).toBeNull();
});
