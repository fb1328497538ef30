import { expect, test } from "vitest";
import { languageTags } from "./languages.ts";

test.each([
  ["en", ["en"]],
  ["pt-BR", ["pt-br", "pt"]],
  ["zh-Hans-CN", ["zh-hans-cn", "zh-hans", "zh"]],
  ["iw_IL", ["he-il", "he"]],
  ["", []],
])("%j stands for every tag that begins it, most exact first", (tag, expected) => {
  expect(languageTags(tag)).toEqual(expected);
});
