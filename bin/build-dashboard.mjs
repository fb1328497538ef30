// Builds the dashboard (web/) into dist/web and the documentation (docs/) into dist/docs; npm runs it after an installation. Without
// build tools an earlier build stays, and the server says what is missing; the rest of it works.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipCompress } from "node:zlib";
import { isNewEnough, refusal, root } from "./node-version.mjs";

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCompress);

const note = (text) => process.stderr.write(`${text}\n`);

if (!isNewEnough(process.version)) {
  note(refusal(process.version));
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
  // The best takes ten times as long for a tenth less.
  await compress(join(root, "dist/docs"), 9);
}

/** Adds compressed copies, which the server sends as they are. Node compresses in threads, so all cores take part. */
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
