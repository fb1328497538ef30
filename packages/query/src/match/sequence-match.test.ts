import fc from "fast-check";
import { expect, test } from "vitest";
import { GAP } from "../text/analyze.ts";
import type { SequenceElement } from "../text/sequence.ts";
import { containsSequence } from "./matcher.ts";

const element: fc.Arbitrary<SequenceElement> = fc.oneof(
  fc.constantFrom("a", "b", "ab").map((token): SequenceElement => ({ kind: "token", token })),
  fc.constantFrom("a", "b").map((prefix): SequenceElement => ({ kind: "prefix", prefix })),
  fc.constant<SequenceElement>({ kind: "any" }),
);
const terms = fc.array(fc.constantFrom("a", "b", "ab", "ba", GAP), { maxLength: 90 });

const accepts = (term: string | undefined, expected: SequenceElement): boolean => {
  if (term === undefined) return false;
  if (expected.kind === "any") return term !== GAP;
  return expected.kind === "token" ? term === expected.token : term.startsWith(expected.prefix);
};

test("a sequence of any length matches exactly if its elements accept adjacent terms", () => {
  fc.assert(
    fc.property(terms, fc.array(element, { maxLength: 70 }), (text, elements) => {
      const expected =
        elements.length > 0 &&
        text.some((_, start) =>
          elements.every((other, index) => accepts(text[start + index], other)),
        );
      expect(containsSequence(text, elements)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("a sequence cut out of a post's terms matches the post", () => {
  fc.assert(
    fc.property(terms, fc.nat(80), fc.integer({ min: 1, max: 80 }), (text, from, length) => {
      const cut = text.slice(from, from + length);
      const elements = cut.map((token): SequenceElement => ({ kind: "token", token }));
      expect(containsSequence(text, elements)).toBe(cut.length > 0);
    }),
  );
});

test("matching a phrase reads each term once, even if the words of the phrase repeat", () => {
  let reads = 0;
  const text = Array.from({ length: 5_000 }, (_, index) => (index % 255 === 254 ? "b" : "a"));
  const countingText = new Proxy(text, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const phrase = Array.from(
    { length: 256 },
    (): SequenceElement => ({ kind: "token", token: "a" }),
  );
  expect(containsSequence(countingText, phrase)).toBe(false);
  expect(reads).toBe(text.length);
});
