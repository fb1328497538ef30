// Bundles the server and the command line (src/) into a few files in dist/server, for the package
// and the container: Node does not strip types in node_modules, and many small files make the start
// a fifth slower. A checkout runs the sources directly.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "vite";
import { root } from "./node-version.mjs";

const outDir = join(root, "dist/server");
const threads = [
  "server/control/control-thread",
  "server/control/control-database-thread",
  "archive/threads/writer-thread",
  "archive/threads/reader-thread",
  "archive/threads/language-thread",
  "archive/threads/compaction-thread",
  "ingest/analysis/import-thread",
];
/**
 * The modules that the service imports as it starts, in order, split where other commands need only
 * the first stages.
 */
const stages = [
  { name: "command", modules: ["cli/main.ts"] },
  {
    name: "serve",
    modules: [
      "cli/serve.ts",
      "cli/parse-values.ts",
      "cli/terminal/text-layout.ts",
      "cli/remote/choose-service.ts",
    ],
  },
  { name: "plan", modules: ["../packages/query/src/plan/index.ts"] },
  { name: "stores", modules: ["server/start.ts"] },
  {
    name: "search",
    modules: [
      "cli/search/search-and-print.ts",
      "cli/search/count-archive.ts",
      "cli/search/analyze.ts",
    ],
  },
  { name: "service", modules: ["server/context.ts", "http/app.ts"] },
];
const closures = new Map();
const packages = new Set();

await bundle("cli/main", {
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: "stage", name: chunkOf }],
  },
});
// Each thread is one file, because modules start a thread from a file next to their own.
for (const thread of threads) await bundle(thread, { codeSplitting: false });
const licenses = [...packages].sort().map(licenseOf).join("\n\n");
writeFileSync(join(outDir, "THIRD-PARTY-LICENSES.txt"), licenses);

async function bundle(entry, output) {
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    ssr: { noExternal: true },
    plugins: [{ name: "packages", generateBundle: collectPackages }],
    build: {
      ssr: true,
      outDir,
      emptyOutDir: entry === "cli/main",
      target: "node24",
      minify: false,
      rolldownOptions: {
        input: { [basename(entry)]: join(root, "src", `${entry}.ts`) },
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          ...output,
        },
      },
    },
  });
}

/** One output file per stage of the start, because loading a file takes half a millisecond. */
function chunkOf(moduleId, context) {
  const stage = stages.find(({ modules }) =>
    modules.some((path) => staticImports(join(root, "src", path), context).has(moduleId)),
  );
  return stage?.name ?? null;
}

function staticImports(entry, context) {
  const cached = closures.get(entry);
  if (cached !== undefined) return cached;
  const found = new Set();
  const pending = [entry];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    pending.push(...(context.getModuleInfo(id)?.importedIds ?? []));
  }
  closures.set(entry, found);
  return found;
}

function collectPackages(_options, chunks) {
  for (const chunk of Object.values(chunks)) {
    for (const file of chunk.moduleIds ?? []) {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
      if (folder !== undefined) packages.add(folder);
    }
  }
}

function licenseOf(folder) {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return "";
  const { name, version, license } = JSON.parse(readFileSync(path, "utf8"));
  const file = readdirSync(folder).find((each) => /^(licen[sc]e|copying)/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
