import { expect, test } from "vitest";
import { unicodeVersion } from "./unicode-version.ts";

test("the Unicode version is that of the runtime's tables", () => {
  expect(unicodeVersion).toMatch(/^\d+\.\d+/);
});
