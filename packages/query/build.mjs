// Writes the published package to dist/ as JavaScript and types, because Node does not strip types
// in node_modules.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const dist = join(folder, "dist");
rmSync(dist, { recursive: true, force: true });
execFileSync("tsc", ["-p", join(folder, "tsconfig.build.json")], { stdio: "inherit" });

const {
  private: _,
  scripts: __,
  exports: sources,
  ...manifest
} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const built = ([name, source]) => {
  const path = source.replace("./src/", "./").replace(/\.ts$/, "");
  return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
};
const exports = Object.fromEntries(Object.entries(sources).map(built));
writeFileSync(join(dist, "package.json"), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
cpSync(join(folder, "README.md"), join(dist, "README.md"));
