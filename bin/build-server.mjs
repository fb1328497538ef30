// Builds the server and the command line (src/) into few files in dist/server, which a package and a container run: Node strips no
// types below node_modules, and many small files are slow to load. A checkout runs its sources.
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
  // What is published brings its own packages along.
  ssr: { noExternal: [/^@earshot\//] },
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
