import { expect, test } from "vitest";
import { unicodeVersion } from "./unicode-version.ts";

test("the Unicode version begins with a major and a minor number", () => {
  expect(unicodeVersion).toMatch(/^\d+\.\d+/);
});
