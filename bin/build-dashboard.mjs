// Builds the dashboard (web/) into dist/web and the documentation (docs/) into dist/docs. npm runs
// it after installing. Without the build tools, an earlier build, if any, remains in use.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipCompress } from "node:zlib";
import { isNewEnough, root, unsupportedNode } from "./node-version.mjs";

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCompress);

const note = (text) => process.stderr.write(`${text}\n`);

if (!isNewEnough(process.version)) {
  note(unsupportedNode(process.version));
} else if (!existsSync(join(root, "node_modules/vite"))) {
  note(
    "the dashboard and the documentation are not built: install with development dependencies to build them",
  );
} else {
  const { build } = await import("vite");
  for (const name of ["vite.config.ts", "site.config.ts"])
    await build({ configFile: join(root, "web", name), logLevel: "warn" });
  const { writeSite } = await import("../src/http/docs-site/html/write-site.ts");
  await writeSite();
  await compress(join(root, "dist/web"), 11);
  // Quality 11 would take ten times as long and save only a tenth more.
  await compress(join(root, "dist/docs"), 9);
}

/** Writes compressed copies next to the files. Node's thread pool uses all cores. */
async function compress(folder, quality) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const compressed = names.filter((name) => /\.(html|js|css|svg|json)$/.test(name));
  await Promise.all(
    compressed.map(async (name) => {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      const [br, gz] = await Promise.all([brotli(bytes, { params }), gzip(bytes, { level: 9 })]);
      writeFileSync(`${path}.br`, br);
      writeFileSync(`${path}.gz`, gz);
    }),
  );
}
