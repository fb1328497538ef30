import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonArray } from "./json-array.ts";

test("joins texts of any script into one array", () => {
  const texts = fc.array(fc.json({ stringUnit: "binary" }), { maxLength: 5 });
  const property = fc.property(texts, (given) => {
    expect(Buffer.from(jsonArray(given)).toString()).toBe(`[${given.join(",")}]`.toWellFormed());
  });
  fc.assert(property, { examples: [[[]], [['"é"']], [['"ы"', '"😀"', "null"]]] });
});
