// biome-ignore-all lint/style/useNodejsImportProtocol: early versions of Node 12 do not support it
// The required version of Node, and the Node that npm installed. Uses old syntax, so that Node 12
// can parse this file and report the problem.
import fs from "fs";
import path from "path";
import { fileURLToPath } from "url";

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

const required = [24, 15];

export function isNewEnough(version) {
  const parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > required[0] || (parts[0] === required[0] && parts[1] >= required[1]);
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

export function unsupportedNode(version) {
  const found = version.replace(/^v/, "");
  const minimum = required.join(".");
  return (
    `earshot: Earshot requires Node ${minimum} or newer, but this is Node ${found} – run \`npm ci\` with optional ` +
    `dependencies, which include Node (install scripts are not needed), or install Node ${minimum}+ ` +
    "from https://nodejs.org\n"
  );
}
