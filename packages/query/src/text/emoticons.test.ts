import { expect, test } from "vitest";
import { findEmoticons, readEmoticon } from "./emoticons.ts";

test.each([
  [":)", [":)"]],
  ["great :-) and ;p", [":)", ";P"]],
  ["=) :'( :^D", [":)", ":(", ":D"]],
  ["so happy :)))", [":)"]],
  ["(see you :))", [":)"]],
  ['"well :("', [":("]],
  ["yes :), no", [":)"]],
  [":) :-) =)", [":)"]],
  ["a:) x=D", []],
  ["at 10:00 https://example.com/:)", []],
  [":d :x :)(", []],
])("%s", (text, found) => {
  expect(findEmoticons(text)).toEqual(found);
});

test("normalises exactly one emoticon", () => {
  expect(readEmoticon(":-P")).toBe(":P");
  expect(readEmoticon(";)")).toBe(";)");
  expect(readEmoticon(":))")).toBe(":)");
  expect(readEmoticon(":)(")).toBeNull();
  expect(readEmoticon("hm :)")).toBeNull();
});

test("runs in linear time on a text full of eyes", () => {
  expect(findEmoticons(`${":".repeat(200_000)} ${":(".repeat(100_000)}`)).toEqual([]);
});
