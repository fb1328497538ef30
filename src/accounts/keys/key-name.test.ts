import fc from "fast-check";
import { expect, test } from "vitest";
import { maxKeyNameLength, normalizeKeyName } from "./key.ts";

test("a key's name is trimmed and normalised", () => {
  expect(normalizeKeyName("  storm watch ")).toBe("storm watch");
  expect(normalizeKeyName("cafe\u0301")).toBe("café");
  expect(normalizeKeyName("👩‍🚀")).toBe("👩‍🚀");
  expect(normalizeKeyName("x".repeat(maxKeyNameLength))).toHaveLength(maxKeyNameLength);
  expect(normalizeKeyName("🔑".repeat(maxKeyNameLength))).toBe("🔑".repeat(maxKeyNameLength));
});

test.each([
  "",
  " \u00a0\u3000",
  "a\u0000b",
  "a\u001b[31mb",
  "a\u0085b",
  "a\u2028b",
  "a\u202eb",
  "a\u200bb",
  "a\ufeffb",
  "a\ud83db",
  "\u200d",
  "x".repeat(maxKeyNameLength + 1),
])("the key name %j is refused with a hint", (name) => {
  expect(() => normalizeKeyName(name)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      hint: expect.stringContaining("1 to 60"),
      details: [expect.objectContaining({ pointer: "/name" })],
    }),
  );
});

test("an accepted key name does not change when it is checked again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 70 }), (text) => {
      try {
        const name = normalizeKeyName(text);
        expect(normalizeKeyName(name)).toBe(name);
        expect(name).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_request" });
      }
    }),
  );
});
