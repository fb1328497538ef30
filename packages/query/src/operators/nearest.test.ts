import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const names = ["from", "to", "lang", "since", "until", "min_faves", "min_retweets", "geocode"];

test.each([
  ["frm", "from"],
  ["form", "from"],
  ["FROMM", "from"],
  ["sinc", "since"],
  ["min_fave", "min_faves"],
  ["min_favs", "min_faves"],
  ["min_retweet", "min_retweets"],
  ["geocde", "geocode"],
])("%s is taken for %s", (written, meant) => {
  expect(nearest(written, names)).toBe(meant);
});

test.each(["re", "x", "", "https", "note", "minimum"])("%j is near nothing", (written) => {
  expect(nearest(written, names)).toBeNull();
});

test("a long name costs no work", () => {
  expect(nearest("x".repeat(100_000), names)).toBeNull();
});
