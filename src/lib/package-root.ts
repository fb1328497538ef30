import { existsSync } from "node:fs";

export const packageRoot: URL = findPackageRoot(new URL(".", import.meta.url));

function findPackageRoot(folder: URL): URL {
  const parent = new URL("..", folder);
  const isRoot = parent.href === folder.href;
  return isRoot || existsSync(new URL("package.json", folder)) ? folder : findPackageRoot(parent);
}
