import { expect, test } from "vitest";
import { joinPages } from "./save-results.ts";

test("CSV pages are joined under one header row", () => {
  expect(joinPages("csv", ["ID,Content\r\n1,a\r\n", "ID,Content\r\n2,b\r\n"])).toBe(
    "ID,Content\r\n1,a\r\n2,b\r\n",
  );
});

test("NDJSON pages are joined unchanged", () => {
  expect(joinPages("ndjson", ['{"ID":"1"}\n', '{"ID":"2"}\n'])).toBe('{"ID":"1"}\n{"ID":"2"}\n');
});
