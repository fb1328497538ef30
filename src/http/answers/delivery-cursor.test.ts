import fc from "fast-check";
import { expect, test } from "vitest";
import { readDeliveryCursor, writeDeliveryCursor } from "./list-cursor.ts";

const webhook = "wh_4fK2nQ7sVd81LmXzRt0B";
const invalid = expect.objectContaining({ code: "cursor_invalid", status: 400 });

test("a delivery cursor round-trips and is safe in a URL", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 48 - 1 }), (number) => {
      const text = writeDeliveryCursor(webhook, number);
      expect(text).toMatch(/^[\w-]{30}$/);
      expect(readDeliveryCursor(webhook, text)).toBe(number);
    }),
  );
});

test("malformed delivery cursors and those of another webhook are rejected", () => {
  const cursor = writeDeliveryCursor(webhook, 7);
  expect(() => readDeliveryCursor("wh_0000000000000000000A", cursor)).toThrow(invalid);
  for (const text of ["", "7", `${cursor}=`, ` ${cursor}`, cursor.slice(1), `${cursor}A`]) {
    expect(() => readDeliveryCursor(webhook, text)).toThrow(invalid);
  }
});
