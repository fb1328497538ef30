import { expect, test } from "vitest";
import { foldWord } from "./characters.ts";
import { possibleEmoji } from "./emoji.ts";
import { foldable, pictures, textTraits } from "./traits.ts";

const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
const neighbours = ["", "a", "9", "я", "日", "ー", "."];

test("characters without the foldable trait need only lower-casing, regardless of their neighbours", () => {
  const plainUnits = units.filter((unit) => (textTraits(unit) & foldable) === 0);
  const wrong = plainUnits.filter((unit) =>
    neighbours.some((other) =>
      [unit + other, other + unit].some((text) => foldWord(text) !== text.toLowerCase()),
    ),
  );
  expect(wrong).toEqual([]);
  expect(plainUnits.length).toBeGreaterThan(20_000);
});

test("characters without the pictures trait begin no emoji", () => {
  const wrong = units.filter(
    (unit) => (textTraits(unit) & pictures) === 0 && possibleEmoji.test(unit),
  );
  expect(wrong).toEqual([]);
  expect(textTraits("abc") & pictures).toBe(0);
  expect(textTraits("a\u{1f600}c") & pictures).toBe(pictures);
});
