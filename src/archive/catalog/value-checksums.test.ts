import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checksumDeltas } from "../segments/changeset.ts";
import { catalogRowChecksum, type StoredValue, valueChecksums } from "./value-checksums.ts";

const isKey = [true, true, false, false];
const row: readonly StoredValue[] = [
  "bluesky",
  "did:plc:ann",
  1_760_000_000_000n,
  "Ann à la carte",
];

const changeColumn = (column: number, value: StoredValue): StoredValue[] => row.with(column, value);

test.each([
  ["a changed character in the key", changeColumn(1, "did:plc:anm")],
  ["a changed character in another column", changeColumn(3, "Ann á la carte")],
  ["a changed high bit in an integer", changeColumn(2, 1_760_000_000_000n | (1n << 62n))],
  ["null instead of a value", changeColumn(3, null)],
  ["a blob with the same bytes", changeColumn(3, new TextEncoder().encode(String(row[3])))],
  ["characters that move to the next column", ["blueskyd", "id:plc:ann", ...row.slice(2)]],
  ["swapped values", [row[0] ?? "", row[1] ?? "", row[3] ?? "", row[2] ?? ""]],
])("a row's checksum detects %s", (_, other) => {
  expect(catalogRowChecksum(other, isKey)).not.toBe(catalogRowChecksum(row, isKey));
});

test("every flipped bit of an integer changes the checksum", () => {
  for (let bit = 0n; bit < 64n; bit++) {
    const flipped = BigInt.asIntN(64, 1_760_000_000_000n ^ (1n << bit));
    expect(catalogRowChecksum(changeColumn(2, flipped), isKey), `bit ${bit}`).not.toBe(
      catalogRowChecksum(row, isKey),
    );
  }
});

test("the checksum of a changeset is the sum of its rows' checksums", () => {
  const value = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => text.toWellFormed()),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true }).filter((number) => !Number.isInteger(number)),
    fc.uint8Array({ maxLength: 300 }),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), value, value, (key, before, after) => {
      const database = new DatabaseSync(":memory:");
      database.exec("CREATE TABLE pair(name TEXT PRIMARY KEY, value) WITHOUT ROWID");
      const put = database.prepare("INSERT OR REPLACE INTO pair VALUES(?, ?)");
      const readChecksum = (): number => {
        const select = database.prepare("SELECT * FROM pair");
        select.setReadBigInts(true);
        const { name, value: found } = select.get() ?? {};
        return catalogRowChecksum([name, found] as StoredValue[], [true, false]);
      };
      const first = database.createSession();
      put.run(key.toWellFormed(), before);
      const inserted = checksumDeltas(first.changeset(), () => valueChecksums).get("pair");
      expect(inserted).toEqual({ rows: 1, sum: readChecksum() });
      first.close();
      const second = database.createSession();
      database.prepare("UPDATE pair SET value = ?").run(after);
      const updated = checksumDeltas(second.changeset(), () => valueChecksums).get("pair");
      expect((updated?.sum ?? 0) + (inserted?.sum ?? 0)).toBe(readChecksum());
      database.close();
    }),
  );
});
