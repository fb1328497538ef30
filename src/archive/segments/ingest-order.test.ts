import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type IngestOrder,
  ingestBatchReader,
  ingestOrderIn,
  segmentIngestOrder,
} from "./ingest-order.ts";
import { packIds, unpackIds } from "./ingest-order-ids.ts";
import { segmentMigrations } from "./schema.ts";

type Segment = { database: DatabaseSync; ingestOrder: IngestOrder };

function withSegment(work: (segment: Segment) => void): void {
  const database = new DatabaseSync(":memory:");
  try {
    for (const migration of segmentMigrations) database.exec(migration);
    work({ database, ingestOrder: ingestOrderIn(database) });
  } finally {
    database.close();
  }
}

const insert = ({ database }: Segment, id: bigint) =>
  database.prepare("INSERT INTO post VALUES(?, 0, null, null, null, null, '', '', null)").run(id);
const remove = ({ database }: Segment, id: bigint) =>
  database.prepare("DELETE FROM post WHERE id = ?").run(id);
const readRows = ({ database }: Segment) =>
  database.prepare("SELECT number, low, high, ids FROM ingest_order ORDER BY number").all();

function ingest(segment: Segment, from: number, ids: readonly bigint[]): number {
  for (const [index, id] of ids.entries()) {
    insert(segment, id);
    segment.ingestOrder.add(from + index + 1, id);
  }
  segment.ingestOrder.flush();
  return from + ids.length;
}

function orderedPosts({ database }: Segment, pageSize: number): string[] {
  const read = segmentIngestOrder(database);
  const all: string[] = [];
  for (let from = { number: 0, id: 0n }; ; ) {
    const page = read(from, 1e9, pageSize);
    all.push(...page.map(({ number, id }) => `${number} ${id}`));
    const last = page.at(-1);
    if (last === undefined) return all;
    from = { number: last.number, id: last.id + 1n };
  }
}

test("the ingest order stores adjacent posts as one row, and still finds them when posts have been inserted between them", () => {
  withSegment((segment) => {
    ingest(segment, 0, [10n, 20n, 30n]);
    expect(readRows(segment)).toEqual([{ number: 3, low: 10, high: 30, ids: null }]);
    ingest(segment, 3, [15n, 40n]);
    expect(orderedPosts(segment, 2)).toEqual(["3 10", "3 20", "3 30", "5 15", "5 40"]);
  });
});

test("a run of the ingest order does not include posts inserted after its own were deleted", () => {
  withSegment((segment) => {
    ingest(segment, 0, [10n, 20n]);
    for (const id of [10n, 20n]) remove(segment, id);
    ingest(segment, 2, [5n, 25n]);
    ingest(segment, 4, [15n]);
    expect(orderedPosts(segment, 10)).toEqual(["4 5", "4 25", "5 15"]);
  });
});

test("the ingest order returns every post once, with the number of its batch, however batches interleave", () => {
  const step = fc.record({
    ids: fc.uniqueArray(fc.bigInt({ min: 0n, max: 60n }), { minLength: 1, maxLength: 12 }),
    removed: fc.array(fc.bigInt({ min: 0n, max: 60n }), { maxLength: 3 }),
    moved: fc.option(fc.bigInt({ min: 0n, max: 60n }), { nil: null }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 8 }),
      fc.integer({ min: 1, max: 5 }),
      (steps, pageSize) =>
        withSegment((segment) => {
          const usedIds = new Set<bigint>();
          const numbers = new Map<bigint, number>();
          let number = 0;
          for (const { ids, removed, moved } of steps) {
            const fresh = ids.filter((id) => !usedIds.has(id)).toSorted((a, b) => (a < b ? -1 : 1));
            number = ingest(segment, number, fresh);
            for (const id of fresh) {
              usedIds.add(id);
              numbers.set(id, number);
            }
            for (const id of removed) {
              remove(segment, id);
              numbers.delete(id);
            }
            const batchNumber = moved === null ? undefined : numbers.get(moved);
            if (moved === null || batchNumber === undefined) continue;
            const newId = [...Array(80).keys()]
              .map(BigInt)
              .find((id) => !usedIds.has(id) && id > moved);
            if (newId === undefined) continue;
            remove(segment, moved);
            insert(segment, newId);
            segment.ingestOrder.renumber(moved, newId);
            numbers.delete(moved);
            usedIds.delete(moved);
            usedIds.add(newId);
            numbers.set(newId, batchNumber);
          }
          const expected = [...numbers]
            .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
            .map(([id, own]) => `${own} ${id}`);
          expect(orderedPosts(segment, pageSize)).toEqual(expected);
          for (const [id, own] of numbers)
            expect(segment.ingestOrder.findNumbers(id)).toEqual([own]);
        }),
    ),
    { numRuns: 400 },
  );
});

test("the ingest order is the same after its rows have been copied to another segment", () => {
  withSegment((segment) =>
    withSegment((copy) => {
      let number = ingest(segment, 0, [10n, 20n, 30n]);
      number = ingest(segment, number, [5n, 15n, 50n]);
      ingest(segment, number, [40n]);
      for (const id of [5n, 10n, 15n, 20n, 30n, 40n, 50n]) insert(copy, id);
      for (const { number: batchNumber, ids } of ingestBatchReader(segment.database)(0, 1e9)) {
        copy.ingestOrder.put(batchNumber, ids);
      }
      expect(orderedPosts(copy, 3)).toEqual(orderedPosts(segment, 3));
    }),
  );
});

test("rows can be removed from either end of the ingest order", () => {
  withSegment((segment) => {
    for (const number of [1, 2, 3, 4]) ingest(segment, number - 1, [BigInt(number * 10)]);
    expect(segment.ingestOrder.removeBefore(3, 1)).toBe(1);
    expect(segment.ingestOrder.removeBefore(3, 9)).toBe(1);
    segment.ingestOrder.removeAfter(3);
    expect(orderedPosts(segment, 9)).toEqual(["3 30"]);
  });
});

test("the ingest order skips hidden posts", () => {
  withSegment((segment) => {
    ingest(segment, 0, [10n, 20n]);
    ingest(segment, 2, [15n, 30n]);
    segment.database.exec("INSERT INTO hidden VALUES (20), (30)");
    expect(orderedPosts(segment, 9)).toEqual(["2 10", "4 15"]);
  });
});

test("ascending IDs in the ingest order are packed and unpacked without loss", () => {
  const ids = fc
    .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { minLength: 1 })
    .map((values) => values.toSorted((a, b) => (a < b ? -1 : 1)));
  fc.assert(
    fc.property(ids, (values) => {
      const [low = 0n] = values;
      expect(unpackIds(low, packIds(low, values))).toEqual(values);
    }),
  );
});
