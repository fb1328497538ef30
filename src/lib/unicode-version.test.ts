import { expect, test } from "vitest";
import { unicodeVersion } from "./unicode-version.ts";

test("the runtime names the version of its Unicode tables", () => {
  expect(unicodeVersion).toMatch(/^\d+\.\d+/);
});
