import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const start = new URL("start.ts", import.meta.url);
const dynamicEntries = ["context.ts", "roles/node.ts", "../http/app.ts"].map(
  (path) => new URL(path, start),
);

const staticImport = /^(?:import|export) (?!type )(?:[^"';]*? from )?"([^"]+)"/gm;

function readPackages(entries: readonly URL[]): ReadonlySet<string> {
  const packages = new Set<string>();
  const seenUrls = new Set<string>();
  const queue = [...entries];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (seenUrls.has(url.href)) continue;
    seenUrls.add(url.href);
    for (const [, path = ""] of readFileSync(fileURLToPath(url), "utf8").matchAll(staticImport)) {
      if (path.startsWith(".")) queue.push(new URL(path, url));
      else packages.add(path);
    }
  }
  return packages;
}

test("starting the server loads no HTTP client, job encryption or quote verification", () => {
  const packages = readPackages([start, ...dynamicEntries]);
  expect(packages).toContain("fastify");
  expect(packages).not.toContain("undici");
  expect(packages).not.toContain("hpke");
  expect(packages).not.toContain("@phala/dcap-qvl");
});

test.each(["main", "search/explain", "search/search", "search/counts"])(
  "the command module %s loads no schemas",
  (name) => {
    const packages = readPackages([new URL(`../cli/${name}.ts`, start)]);
    expect(packages).not.toContain("zod");
    expect(packages).not.toContain("fastify");
  },
);
