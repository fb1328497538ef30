import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { inTransaction } from "../database.ts";
import { catalogDamage, fillCatalogChecksums, maintainCatalogChecksums } from "./checksums.ts";
import { catalogMigrations } from "./schema.ts";

let catalog: DatabaseSync;
beforeEach(() => {
  catalog = new DatabaseSync(":memory:", { defensive: false });
  for (const migration of catalogMigrations) catalog.exec(migration);
  fillCatalogChecksums(catalog);
  maintainCatalogChecksums(catalog);
});

const write = (sql: string): void => inTransaction(catalog, () => catalog.exec(sql));
const intact = { tables: [], structure: [] };

test("the catalog's checksums are updated by every transaction, and rolled back with it", () => {
  const step = fc.constantFrom(
    "INSERT OR REPLACE INTO handle VALUES('x', '1', 'ann', 5)",
    "INSERT OR REPLACE INTO handle VALUES('x', '1', 'ann', 6)",
    "DELETE FROM handle",
    "INSERT OR IGNORE INTO pending_moderation VALUES('x', '1'), ('x', '2')",
    "DELETE FROM pending_moderation",
    "UPDATE setting SET value = value + 1 WHERE name = 'ingest_number'",
    "INSERT OR REPLACE INTO label VALUES('x', '1', 's', 'v', 1, 0, NULL)",
    "UPDATE label SET negated = 1, expires_ms = 7",
    "INSERT OR REPLACE INTO misplaced VALUES('x', -9223372036854775807, 4611686018427387904)",
    "no statement",
  );
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 }), (transactions) => {
      for (const steps of transactions) {
        try {
          write(steps.join(";"));
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringContaining("syntax") });
        }
        expect(catalogDamage(catalog)).toEqual(intact);
      }
    }),
    { numRuns: 60 },
  );
});

test("the checksums are correct after a statement that was prepared before the transaction empties a table", () => {
  const emptyTable = catalog.prepare("DELETE FROM pending_moderation");
  write("INSERT INTO pending_moderation VALUES('x', '1')");
  inTransaction(catalog, () => emptyTable.run());
  expect(catalogDamage(catalog)).toEqual(intact);
});

test("the checksums are correct after a statement that was prepared after a garbage collection empties a table", async () => {
  await collectGarbage();
  const emptyTable = catalog.prepare("DELETE FROM pending_moderation");
  write("INSERT INTO pending_moderation VALUES('x', '1')");
  inTransaction(catalog, () => emptyTable.run());
  expect(catalogDamage(catalog)).toEqual(intact);
});

/** Objects with a finalizer are freed in a later turn of the event loop. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await setImmediate();
  }
}

describe("changes made outside of Earshot", () => {
  beforeEach(() => {
    write(`
      INSERT INTO handle VALUES('x', '1', 'ann', 5), ('x', '2', 'bob', 6);
      INSERT INTO interval VALUES('x', 'posts', '', 'import', 1, 9);
      INSERT INTO segment VALUES('x', 1, 0, 0, 0, '3 17.0', 0, 0, 4, 1);
      INSERT INTO alias VALUES('x', 1, 4611686018427387904, 'name');`);
  });

  test.each([
    ["handle", "UPDATE handle SET handle = 'anm' WHERE user_id = '1'"],
    ["handle", "DELETE FROM handle WHERE user_id = '1'"],
    ["handle", "UPDATE handle SET observed_ms = CASE observed_ms WHEN 5 THEN 6 ELSE 5 END"],
    ["interval", "UPDATE interval SET to_ms = 10"],
    ["segment", "UPDATE segment SET low = 1"],
    ["setting", "UPDATE setting SET value = '1' WHERE name = 'ingest_number'"],
    ["alias", "UPDATE alias SET id = id + 1"],
    ["tombstone", "INSERT INTO tombstone VALUES('x', 'uri', '')"],
    ["catalog_sum", "UPDATE catalog_sum SET rows = rows + 1 WHERE name = 'label'"],
    ["sqlite_schema", "CREATE INDEX another ON tombstone(revision)"],
  ])(
    "the checksums detect a change of %s by another program, even after later writes: %s",
    (table, sql) => {
      catalog.exec(sql);
      const damagedTable = table === "catalog_sum" ? "label" : table;
      expect(catalogDamage(catalog)).toEqual({ tables: [damagedTable], structure: [] });
      write("UPDATE handle SET observed_ms = 7; UPDATE interval SET to_ms = 11");
      expect(catalogDamage(catalog)).toEqual({ tables: [damagedTable], structure: [] });
    },
  );
});

test("the checksums are recomputed for another schema version", () => {
  catalog.exec("UPDATE catalog_sum SET version = version - 1");
  catalog.exec("INSERT INTO handle VALUES('x', '1', 'ann', 5)");
  expect(catalogDamage(catalog).tables).toEqual([]);
  fillCatalogChecksums(catalog);
  expect(catalogDamage(catalog).tables).toEqual([]);
  catalog.exec("DELETE FROM handle");
  expect(catalogDamage(catalog).tables).toEqual(["handle"]);
});
