import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { line, packLines, unpackFlags, unpackLines } from "./record-lines.ts";
import {
  decodeList,
  encodeList,
  expandReference,
  expandShortName,
  shortName,
  shortReference,
} from "./short-forms.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "\n",
    "\0",
    "\ud83d",
    "\ude00",
    "\u{1f600}",
    '"',
    '","',
    "\\",
    "é",
    "[",
    "0",
    "+1",
  ),
);
const json = anyText.map((text) => JSON.stringify(text));
const maybe = (value: fc.Arbitrary<string>) => fc.oneof(fc.constant(""), value);
const jsonList = (value: fc.Arbitrary<string>) =>
  fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => JSON.stringify(values));
const flags = fc
  .tuple(
    fc.constantFrom("", "r"),
    fc.constantFrom("", "q"),
    fc.constantFrom("", "t"),
    fc.constantFrom("", "v", "u"),
    fc.constantFrom("", "s", "n"),
    fc.constantFrom("", "S", "B", "U"),
  )
  .map((letters) => letters.join(""));

const lines = fc.array(anyText, { maxLength: 8 }).chain((pieces) => {
  const text = pieces.join(" ");
  const lists = maybe(
    jsonList(
      fc.oneof(
        anyText,
        fc.subarray(pieces).map((some) => some.join(" ")),
      ),
    ),
  );
  const values: Partial<Record<keyof typeof line, fc.Arbitrary<string>>> = {
    content: fc.constant(JSON.stringify(text)),
    flags,
    langs: maybe(jsonList(fc.constantFrom("en", "zh-Hant", "", "[", "x y"))),
    hashtags: lists,
    mentions: lists,
    urls: lists,
    mentionIds: maybe(jsonList(anyText)),
    media: maybe(jsonList(anyText)),
    labels: maybe(jsonList(anyText)),
    addedLabels: maybe(jsonList(anyText)),
    createdMs: fc.oneof(fc.constantFrom("", "-5", "1.5", "1e21", "007"), fc.integer().map(String)),
  };
  return fc.tuple(
    ...Object.keys(line).map((name) => values[name as keyof typeof line] ?? maybe(json)),
  );
});

test("unpacking a packed record restores its lines", () => {
  fc.assert(
    fc.property(lines, (values) => {
      const record = packLines(values);
      expect(unpackLines(record)).toEqual(values);
      expect(unpackFlags(record)).toBe(values[line.flags]);
      expect(record.startsWith('"')).toBe(false);
      expect(packLines(unpackLines(record))).toBe(record);
    }),
    { numRuns: 1_000 },
  );
});

test("a record of the first form is unpacked into its lines", () => {
  expect(unpackLines('"text"\n"ann"\n\n"7"')).toEqual(['"text"', '"ann"', "", '"7"']);
  expect(unpackFlags(`"text"${"\n".repeat(line.flags)}rS`)).toBe("rS");
  expect(unpackFlags('"text"')).toBe("");
});

describe("items that occur in the text", () => {
  test("items of a record that occur in the text are stored as offsets", () => {
    const list = '["news","https://example.com/"]';
    const text = "#news is at https://example.com/ and more";
    expect(encodeList(list, text)).toBe("147D");
    expect(decodeList("147D", text)).toBe(list);
  });

  test("items of a record are stored as text if one is missing, out of order, or far away", () => {
    expect(encodeList('["a","x"]', "a b c")).toBeNull();
    expect(encodeList('["b","a"]', "a b c")).toBeNull();
    expect(encodeList('["b"]', `${"a".repeat(2_000)}b`)).toBeNull();
    expect(encodeList(`["${"a".repeat(2_000)}"]`, "a".repeat(2_000))).toBeNull();
  });

  test("items of a record are restored from texts that are long, escaped and repetitive", () => {
    const piece = fc.constantFrom(
      "a",
      "\\n",
      '\\"',
      "\u{1f600}",
      "\\ud83d",
      ",",
      '\\",',
      "b".repeat(45),
    );
    const samples = fc.tuple(
      fc.array(piece, { maxLength: 60 }),
      fc.array(fc.array(piece, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    );
    fc.assert(
      fc.property(samples, ([pieces, items]) => {
        const text = pieces.join("");
        const list = `["${items.map((parts) => parts.join("")).join('","')}"]`;
        const spans = encodeList(list, text);
        if (spans !== null) expect(decodeList(spans, text)).toBe(list);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("each name in a record has one short form, from which it is restored", () => {
  const part = fc.constantFrom(
    "did:plc:",
    "at://",
    "/app.bsky.feed.post/",
    "abc",
    ":",
    "@",
    '\\"',
    "/",
    "7",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const name = parts.join("");
      expect(expandShortName(shortName(name))).toBe(name);
      const reference = `{"id":null,"uri":"${name}","username":null,"user_id":"${parts[1]}${parts[2]}"}`;
      expect(expandReference(shortReference(reference))).toBe(reference);
    }),
    { numRuns: 1_000 },
  );
  expect(shortName("did:plc:abc")).toBe(":abc");
  expect(shortName("at://did:plc:abc/app.bsky.feed.post/3k")).toBe("@:abc/3k");
  const reference =
    '{"id":null,"uri":"at://did:plc:abc/app.bsky.feed.post/3k","username":null,"user_id":"did:plc:abc"}';
  expect(shortReference(reference)).toBe("@:abc/3k");
  expect(expandReference("@:abc/3k")).toBe(reference);
});
