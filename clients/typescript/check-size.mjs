// Fails if the client is larger than its README states.
import { build } from "esbuild";

const maxBytes = 12_000;

const { outputFiles } = await build({
  entryPoints: [new URL("src/index.ts", import.meta.url).pathname],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  write: false,
});
const bytes = outputFiles[0]?.contents.length ?? Number.POSITIVE_INFINITY;
process.stdout.write(`${bytes} bytes minified, at most ${maxBytes}\n`);
if (bytes > maxBytes) process.exit(1);
