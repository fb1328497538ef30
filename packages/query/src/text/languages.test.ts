import { expect, test } from "vitest";
import { languageTags } from "./languages.ts";

test.each([
  ["en", ["en"]],
  ["pt-BR", ["pt-br", "pt"]],
  ["zh-Hans-CN", ["zh-hans-cn", "zh-hans", "zh"]],
  ["iw_IL", ["he-il", "he"]],
  ["", []],
])("the languages of %j include every prefix of the tag, most specific first", (tag, expected) => {
  expect(languageTags(tag)).toEqual(expected);
});
