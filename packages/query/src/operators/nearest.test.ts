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
])("the name nearest to %s is %s", (typed, suggestion) => {
  expect(nearest(typed, names)).toBe(suggestion);
});

test.each(["re", "x", "", "https", "note", "minimum"])("no name is near enough to %j", (typed) => {
  expect(nearest(typed, names)).toBeNull();
});

test("no name is near enough to a name of 100,000 characters", () => {
  expect(nearest("x".repeat(100_000), names)).toBeNull();
});
