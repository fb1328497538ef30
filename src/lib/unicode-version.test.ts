import { expect, test } from "vitest";
import { unicodeVersion } from "./unicode-version.ts";

test("returns the version of the runtime's Unicode tables", () => {
  expect(unicodeVersion).toMatch(/^\d+\.\d+/);
});
