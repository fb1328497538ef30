import fc from "fast-check";
import { expect, test } from "vitest";
import { readListCursor, writeListCursor } from "./list-cursor.ts";

test("a list cursor round-trips and is safe in a URL", () => {
  const positions = fc.record({ submittedMs: fc.nat({ max: 2 ** 48 - 1 }), uuid: fc.uuid() });
  fc.assert(
    fc.property(positions, (position) => {
      const text = writeListCursor(position);
      expect(text).toMatch(/^[\w-]{30}$/);
      expect(readListCursor(text)).toEqual(position);
    }),
  );
});

test("any text other than a list cursor is rejected", () => {
  const invalid = expect.objectContaining({ code: "cursor_invalid", status: 400 });
  const cursor = writeListCursor({ submittedMs: 1, uuid: "0f8fad5b-d9cb-469f-a165-70867728950e" });
  for (const text of ["", `${cursor}=`, ` ${cursor}`, cursor.slice(1), `${cursor}A`]) {
    expect(() => readListCursor(text)).toThrow(invalid);
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 29 }), (text) => {
      expect(() => readListCursor(text)).toThrow(invalid);
    }),
  );
});
