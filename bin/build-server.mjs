// Builds the server and the command line (src/) with their dependencies into few files in dist/server, for the package and the
// container: Node strips no types below node_modules, and reading many small files is a fifth of a start. A checkout runs its sources.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "vite";
import { root } from "./node-version.mjs";

/** Where the process and each of its threads begin. */
const entries = [
  "cli/main",
  "server/control-thread",
  "archive/threads/writer-thread",
  "archive/threads/reader-thread",
  "archive/threads/language-thread",
  "archive/threads/compaction-thread",
  "ingest/analysis/import-thread",
];

await build({
  configFile: false,
  root,
  logLevel: "warn",
  ssr: { noExternal: true },
  plugins: [{ name: "licenses", generateBundle: addLicenses }],
  build: {
    ssr: true,
    outDir: join(root, "dist/server"),
    emptyOutDir: true,
    target: "node24",
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(
        entries.map((entry) => [basename(entry), join(root, "src", `${entry}.ts`)]),
      ),
      // Side by side: a thread is started from a module that lies beside the one that names it.
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
});

/** Adds a file with the license of each bundled package. */
function addLicenses(_options, bundle) {
  const folders = new Set();
  for (const chunk of Object.values(bundle)) {
    for (const file of chunk.moduleIds ?? []) {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
      if (folder !== undefined) folders.add(folder);
    }
  }
  const source = [...folders].sort().map(licenseOf).join("\n\n");
  this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES.txt", source });
}

function licenseOf(folder) {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return "";
  const { name, version, license } = JSON.parse(readFileSync(path, "utf8"));
  const file = readdirSync(folder).find((each) => /^(licen[sc]e|copying)/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
