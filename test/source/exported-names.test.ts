import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const declaration =
  /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;

test("each exported name is declared in one file of src and packages", () => {
  const sources = globSync("{src,packages/*/src}/**/*.ts", { cwd: root }).filter(
    (file) => !/\.test(?:-support)?\.ts$/.test(file),
  );
  const filesOf = new Map<string, Set<string>>();
  for (const file of sources) {
    for (const [, name] of readFileSync(join(root, file), "utf8").matchAll(declaration)) {
      const files = filesOf.get(String(name)) ?? new Set();
      filesOf.set(String(name), files.add(file));
    }
  }
  expect(filesOf.size).toBeGreaterThan(3_000);
  const repeated = [...filesOf].filter(([, files]) => files.size > 1);
  expect(repeated.map(([name, files]) => `${name}: ${[...files].join(", ")}`)).toEqual([]);
});
