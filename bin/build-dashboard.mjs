// Builds the dashboard (web/) into dist/web; npm runs it after an installation. Where that brought no build tools, what was
// built before stays, and the server says what is missing: everything else works without.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isNewEnough, refusal, root } from "./node-version.mjs";

const note = (text) => process.stderr.write(`${text}\n`);

if (!isNewEnough(process.version)) {
  note(refusal(process.version));
} else if (!existsSync(join(root, "node_modules/vite"))) {
  note("the dashboard is not built: install with development dependencies to build it");
} else {
  const { build } = await import("vite");
  await build({ configFile: join(root, "web/vite.config.ts"), logLevel: "warn" });
}
