// biome-ignore-all lint/style/useNodejsImportProtocol: the first versions of Node 12 do not know it
// Which Node runs, which is needed, and where a checkout keeps its own. Old syntax on purpose: Node 12 must be able to
// parse this file, or nobody is told what is wrong.
import fs from "fs";
import path from "path";
import { fileURLToPath } from "url";

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

const needed = [24, 15];

export function isNewEnough(version) {
  const parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > needed[0] || (parts[0] === needed[0] && parts[1] >= needed[1]);
}

// The Node that npm installed with the package (an optional dependency for each platform), or null.
export function installedNode() {
  const name = `node-${process.platform.replace("win32", "win")}-${process.arch}`;
  const file = process.platform === "win32" ? "node.exe" : "node";
  const folders = [path.join(root, "node_modules", name), path.join(root, "..", name)];
  for (const folder of folders) {
    const executable = path.join(folder, "bin", file);
    const manifest = path.join(folder, "package.json");
    if (!fs.existsSync(executable) || !fs.existsSync(manifest)) continue;
    if (isNewEnough(JSON.parse(fs.readFileSync(manifest, "utf8")).version)) return executable;
  }
  return null;
}

export function refusal(version) {
  const found = version.replace(/^v/, "");
  const least = needed.join(".");
  return (
    `earshot: this is Node ${found}, and Earshot needs Node ${least} or newer – run \`npm ci\` without leaving out ` +
    `optional dependencies (it brings Node along; install scripts may stay off), or install Node ${least}+ ` +
    "from https://nodejs.org\n"
  );
}
