import { Buffer } from "node:buffer";
import fc from "fast-check";
import { test } from "vitest";
import { isPositionalTerm, isPositionalTermBytes } from "./sealed-query.ts";

test("the bytes and the text of a term agree on whether it is positional", () => {
  const word = fc.constantFrom(
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
    .tuple(sign, word, sign, word, fc.string({ maxLength: 4 }))
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
