import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { segmentMigrations } from "./schema.ts";
import { damagedTables, openTableChecksums, updateTableChecksums } from "./table-checksums.ts";

function run<Value>(steps: Generator<unknown, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function emptySegment(): DatabaseSync {
  const database = new DatabaseSync(":memory:", { defensive: false });
  for (const migration of segmentMigrations) database.exec(migration);
  run(updateTableChecksums(database));
  return database;
}

function write(database: DatabaseSync, work: () => void, end: "COMMIT" | "ROLLBACK" = "COMMIT") {
  const checksums = openTableChecksums(database);
  database.exec("BEGIN");
  checksums.begin();
  work();
  if (end === "COMMIT") checksums.end();
  else checksums.discard();
  database.exec(end);
}

test("a segment's checksums are updated by every write, and rolled back with it", () => {
  const step = fc.record({
    kind: fc.constantFrom("add", "remove", "hide", "show", "merge", "name", "unname"),
    id: fc.integer({ min: 1, max: 40 }),
    words: fc.array(fc.constantFrom("river", "brook", "a", "längs"), { maxLength: 5 }),
  });
  const transaction = fc.record({
    steps: fc.array(step, { maxLength: 12 }),
    end: fc.constantFrom("COMMIT" as const, "COMMIT" as const, "ROLLBACK" as const),
  });
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 8 }), (transactions) => {
      const database = emptySegment();
      const add = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
      const remove = database.prepare("DELETE FROM term WHERE rowid = ?");
      for (const { steps, end } of transactions) {
        write(
          database,
          () => {
            for (const { kind, id, words } of steps) {
              if (kind === "add" || kind === "remove") remove.run(id);
              if (kind === "add") add.run(id, `w${id} ${words.join(" ")}`);
              if (kind === "hide") database.exec(`INSERT OR IGNORE INTO hidden VALUES(${id})`);
              if (kind === "show") database.exec(`DELETE FROM hidden WHERE id = ${id}`);
              if (kind === "name")
                database.exec(`INSERT OR IGNORE INTO uri VALUES(-${id} << 55, ${id})`);
              if (kind === "unname") database.exec(`DELETE FROM uri WHERE id = ${id}`);
              if (kind === "merge")
                database.exec("INSERT INTO term(term, rank) VALUES('merge', -9)");
            }
          },
          end,
        );
        expect(run(damagedTables(database))).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});

function filledSegment(): DatabaseSync {
  const database = emptySegment();
  write(database, () => {
    const add = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
    for (let id = 1; id <= 3_000; id++) add.run(id, `all w${id} x${id % 50}`);
    database.exec("INSERT INTO hidden VALUES(4), (77)");
    database.exec("INSERT INTO uri SELECT (id % 7 - 3) << 60 | id, id FROM term_docsize");
  });
  return database;
}

test.each([
  [
    "term_data",
    "UPDATE term_data SET block = substr(block, 1, 50) || x'00' || substr(block, 52) WHERE id > 10",
  ],
  ["term_data", "DELETE FROM term_data WHERE id = (SELECT max(id) FROM term_data)"],
  [
    "term_data",
    "UPDATE term_data SET block = (SELECT block FROM term_data WHERE id > 10 LIMIT 1) WHERE id > 10",
  ],
  ["term_idx", "UPDATE term_idx SET pgno = pgno + 2"],
  ["term_idx", "DELETE FROM term_idx"],
  ["term_docsize", "UPDATE term_docsize SET sz = x'05' WHERE id = 9"],
  ["term_docsize", "DELETE FROM term_docsize WHERE id = 9"],
  ["hidden", "DELETE FROM hidden WHERE id = 4"],
  ["hidden", "UPDATE hidden SET id = 5 WHERE id = 4"],
  ["hidden", "UPDATE hidden SET id = 4611686018427387904 | id WHERE id = 4"],
  ["term_docsize", "UPDATE term_docsize SET sz = NULL WHERE id = 9"],
  ["term_docsize", "UPDATE term_docsize SET origin = origin + 1 WHERE id = 9"],
  ["term_docsize", "UPDATE term_docsize SET id = id + 9000 WHERE id <= 100"],
  ["uri", "DELETE FROM uri WHERE id = 9"],
  ["uri", "UPDATE uri SET hash = hash + 1 WHERE id = 9"],
  ["uri", "UPDATE uri SET id = id + 1 WHERE id = 9"],
  ["uri", "UPDATE uri SET id = CASE id WHEN 9 THEN 10 ELSE 9 END WHERE id IN (9, 10)"],
])(
  "a segment's checksums detect a change of %s by another program, even after later writes: %s",
  (table, sql) => {
    const database = filledSegment();
    database.exec(sql);
    expect(run(damagedTables(database))).toEqual([table]);
    write(database, () => database.exec("INSERT INTO hidden VALUES(99)"));
    expect(run(damagedTables(database))).toEqual([table]);
  },
);

test("a segment's checksums cover every bit of an FTS5 block", () => {
  const database = filledSegment();
  const select = database.prepare("SELECT id, block FROM term_data WHERE id > 10 LIMIT 1");
  select.setReadBigInts(true);
  const { id = 0n, block } = select.get() ?? {};
  const set = database.prepare("UPDATE term_data SET block = ? WHERE id = ?");
  fc.assert(
    fc.property(fc.nat((block as Uint8Array).length * 8 - 1), (bit) => {
      const bytes = Uint8Array.from(block as Uint8Array);
      bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
      set.run(bytes, id as bigint);
      expect(run(damagedTables(database))).toEqual(["term_data"]);
    }),
    { numRuns: 40 },
  );
});

test.each([
  ["term_docsize", "id", 63],
  ["term_docsize", "origin", 63],
  ["hidden", "id", 63],
  ["uri", "hash", 64],
  ["uri", "id", 63],
])("in a row of %s, a segment's checksums cover every bit of %s", (table, column, bits) => {
  const database = filledSegment();
  const select = database.prepare(`SELECT max(id), ${column} AS value FROM ${table}`);
  select.setReadBigInts(true);
  const value = select.get()?.value as bigint;
  for (let bit = 0n; bit < BigInt(bits); bit++) {
    const damaged = BigInt.asIntN(64, value ^ (1n << bit));
    database.exec(
      `BEGIN; UPDATE OR REPLACE ${table} SET ${column} = ${damaged} WHERE ${column} = ${value}`,
    );
    expect(run(damagedTables(database)), `bit ${bit}`).toEqual([table]);
    database.exec("ROLLBACK");
  }
});

test("a segment's checksums cover every bit of a document size", () => {
  const database = filledSegment();
  const set = database.prepare("UPDATE term_docsize SET sz = ? WHERE id = 9");
  for (const size of [[0], [5], [0x81, 0x05], [0xff, 0x7f], [0x81, 0x80, 0x01]]) {
    write(database, () => set.run(Uint8Array.from(size)));
    expect(run(damagedTables(database))).toEqual([]);
    for (let bit = 0; bit < size.length * 8; bit++) {
      set.run(
        Uint8Array.from(size, (byte, index) => byte ^ (index === bit >> 3 ? 1 << (bit & 7) : 0)),
      );
      expect(run(damagedTables(database)), `${size}, bit ${bit}`).toEqual(["term_docsize"]);
    }
    set.run(Uint8Array.from(size));
  }
});

test("a damaged row with cells of any type can be removed", () => {
  const database = filledSegment();
  database.exec("UPDATE term_docsize SET sz = NULL, origin = 1.5 WHERE id = 9");
  database.exec("UPDATE term_docsize SET sz = 'a text', origin = zeroblob(300) WHERE id = 10");
  write(database, () => database.exec("DELETE FROM term WHERE rowid IN (9, 10)"));
  expect(run(damagedTables(database))).toEqual(["term_docsize"]);
});

test("checksums of tables with many rows are computed in steps", () => {
  const database = emptySegment();
  write(database, () =>
    database.exec(`INSERT INTO uri
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      SELECT i / 3 - 5000, i FROM n`),
  );
  expect([...damagedTables(database)].length).toBe(2);
  expect(run(damagedTables(database))).toEqual([]);
  database.exec("UPDATE uri SET id = id + 1 WHERE id = 50000");
  expect(run(damagedTables(database))).toEqual(["uri"]);
});

test("a segment without table checksums is not reported as damaged", () => {
  const database = new DatabaseSync(":memory:", { defensive: false });
  for (const migration of segmentMigrations) database.exec(migration);
  write(database, () => database.exec("INSERT INTO hidden VALUES(1)"));
  expect(run(damagedTables(database))).toEqual([]);
});
