import { expect, test } from "vitest";
import { acceptsHtml } from "./accepts-html.ts";

test.each([
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["Text/HTML", true],
  ["text/markdown;q=0.5, text/html", true],
  ["text/markdown, text/html;q=0.9", false],
  ["text/html;q=0", false],
  ["text/html;q=x", false],
  ["*/*", false],
  ["", false],
  [undefined, false],
  [`${",".repeat(8_000)}text/plain`, false],
])("the header Accept: %.40s prefers HTML: %s", (accept, expected) => {
  expect(acceptsHtml(accept)).toBe(expected);
});
