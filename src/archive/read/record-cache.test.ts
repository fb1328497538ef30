import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/measure.ts";
import { type RecordBytes, RecordCache, type RenderedRecord } from "./rendered-pages.ts";

const version = { path: "bluesky/000001.db", lastWrittenInCommit: 3, catalog: 7 };
const rowRecord = (text: string): RenderedRecord => ({ text, dependsOnlyOnRow: true });
const getText = (found: RecordBytes | null): string | null =>
  found?.arena.toString("utf8", found.start, found.end) ?? null;

test("a cached record in UTF-8 is found only under its version", () => {
  const cache = new RecordCache(10_000);
  cache.add(1n, version, rowRecord('"ä 🙂"'));
  expect(getText(cache.find(1n, version))).toBe('"ä 🙂"');
  expect(cache.find(2n, version)).toBeNull();
  expect(cache.find(1n, { ...version, lastWrittenInCommit: 4 })).toBeNull();
  expect(cache.find(1n, { ...version, path: "x/000001.db" })).toBeNull();
});

test("a cached record that depends on the catalog is found only under its catalog version", () => {
  const cache = new RecordCache(10_000);
  cache.add(1n, version, { text: "null", dependsOnlyOnRow: false });
  expect(getText(cache.find(1n, { ...version, catalog: 7 }))).toBe("null");
  expect(cache.find(1n, { ...version, catalog: 8 })).toBeNull();
});

test("the record cache evicts the least recently used records", () => {
  const cache = new RecordCache(20_000);
  cache.add(0n, version, rowRecord('"used"'));
  cache.add(1n, version, rowRecord('"unused"'));
  for (let id = 2n; id < 200n; id += 1n) {
    cache.beginPage();
    cache.add(id, version, rowRecord(`"${"a".repeat(200)}"`));
    expect(getText(cache.find(0n, version))).toBe('"used"');
  }
  expect(cache.find(1n, version)).toBeNull();
});

test("the buffers of the record cache are no larger than allowed", () => {
  const cache = new RecordCache(20_000);
  const arenas = new Set<Buffer>();
  for (let id = 0n; id < 500n; id += 1n) {
    cache.beginPage();
    cache.add(id, version, rowRecord(`"${"a".repeat(100)}"`));
  }
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

test("a record longer than the cache is returned without being stored", () => {
  const cache = new RecordCache(1_000);
  const added = cache.add(1n, version, rowRecord(`"${"ä".repeat(2_000)}"`));
  expect(getText(added)).toHaveLength(2_002);
  expect(cache.find(1n, version)).toBeNull();
});

test("cached records of a page stay unchanged until the next page begins", () => {
  const cache = new RecordCache(8_000);
  const random = seededRandom(5);
  const below = (bound: number): number => Math.floor(random() * bound);
  const idText = (id: bigint): string => `"${id}${"ü".repeat(Number(id % 90n))}"`;
  let found = 0;
  for (let page = 0; page < 2_000; page += 1) {
    cache.beginPage();
    const records: [bigint, RecordBytes][] = [];
    for (let n = below(60); n > 0; n -= 1) {
      const id = BigInt(below(150));
      const known = cache.find(id, version);
      if (known !== null) found += 1;
      records.push([id, known ?? cache.add(id, version, rowRecord(idText(id)))]);
    }
    for (const [id, record] of records) expect(getText(record)).toBe(idText(id));
  }
  expect(found).toBeGreaterThan(1_000);
});
