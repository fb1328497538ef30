import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonArray } from "./json-page.ts";

test("texts of any script are joined into one JSON array", () => {
  const texts = fc.array(fc.json({ stringUnit: "binary" }), { maxLength: 5 });
  const property = fc.property(texts, (drawn) => {
    expect(Buffer.from(jsonArray(drawn)).toString()).toBe(`[${drawn.join(",")}]`.toWellFormed());
  });
  fc.assert(property, { examples: [[[]], [['"é"']], [['"ы"', '"😀"', "null"]]] });
});
