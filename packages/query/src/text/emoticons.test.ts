import { expect, test } from "vitest";
import { findEmoticons, readEmoticon } from "./entities.ts";

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
])("the emoticons in a text are found: %s", (text, found) => {
  expect(findEmoticons(text)).toEqual(found);
});

test("text is read as an emoticon only if it contains nothing else", () => {
  expect(readEmoticon(":-P")).toBe(":P");
  expect(readEmoticon(";)")).toBe(";)");
  expect(readEmoticon(":))")).toBe(":)");
  expect(readEmoticon(":)(")).toBeNull();
  expect(readEmoticon("hm :)")).toBeNull();
});

test("a text with hundreds of thousands of colons is searched for emoticons before the test times out", () => {
  expect(findEmoticons(`${":".repeat(200_000)} ${":(".repeat(100_000)}`)).toEqual([]);
});
