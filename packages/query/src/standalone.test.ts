import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const folder = import.meta.dirname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  /^(?!.*\.test(?:-support)?\.ts$).*\.ts$/.test(file),
);

test("the package imports only its own files, so that it runs in browsers", () => {
  expect(sources.length).toBeGreaterThan(50);
  for (const file of sources) {
    const text = readFileSync(join(folder, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(
      /(?:^import |^(?:import|export) [^;"]*? from |\bimport\()"([^"]+)"/gm,
    )) {
      expect(specifier, file).toMatch(/^\.\.?\//);
      expect(relative(folder, resolve(folder, file, "..", specifier)), file).not.toMatch(/^\.\./);
    }
  }
});
