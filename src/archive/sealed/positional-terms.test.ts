import { Buffer } from "node:buffer";
import fc from "fast-check";
import { test } from "vitest";
import { isPositionalTerm, isPositionalTermBytes } from "./sealed-query.ts";

test("terms are classified by their bytes in the same way as by their text", () => {
  const start = fc.constantFrom(
    "",
    "url",
    "lang",
    "is",
    "likes",
    "reposts",
    "replies",
    "quotes",
    "-",
  );
  const sign = fc.constantFrom("", ":", ">=", ">", "@", "$", "|", "#");
  const text = fc
    .tuple(sign, start, sign, start, fc.string({ maxLength: 4 }))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (name) => {
      const bytes = Buffer.from(name);
      return (
        isPositionalTermBytes(Buffer.concat([bytes, Buffer.from(":")]), bytes.length) ===
        isPositionalTerm(name)
      );
    }),
    {
      numRuns: 500,
      examples: [
        "|",
        "||",
        "url:a",
        "url:",
        "xurl:a",
        "a:b",
        "likes>=1",
        "likes>",
        "Likes>=1",
        "@a",
        "$",
        "a-b:c",
        "日:a",
        "lang",
      ].map((name): [string] => [name]),
    },
  );
});
