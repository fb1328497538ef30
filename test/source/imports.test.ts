import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const isTestFile = (file: string): boolean =>
  /\.test(?:-support)?\.tsx?$|vitest\.config\.mjs$/.test(file);

test("only tests and benchmarks import testkit/", () => {
  const sources = globSync("{src,web/src,packages/*/src,bin,examples}/**/*.{ts,tsx,mjs}", {
    cwd: root,
  }).filter((file) => !isTestFile(file));
  expect(sources.length).toBeGreaterThan(500);
  const importing = sources.filter((file) =>
    /["'`][^"'`\n]*\/testkit\//.test(readFileSync(join(root, file), "utf8")),
  );
  expect(importing).toEqual([]);
});

test("no test of the service is directly in test/", () => {
  expect(globSync("test/*.test.ts", { cwd: root })).toEqual([]);
});
