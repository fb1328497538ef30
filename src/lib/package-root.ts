import { existsSync } from "node:fs";

/** Has package.json, openapi.json and docs/, in sources, dist/ and installed packages. */
export const packageRoot: URL = folderWithManifest(new URL(".", import.meta.url));

function folderWithManifest(folder: URL): URL {
  const parent = new URL("..", folder);
  const isRoot = parent.href === folder.href;
  return isRoot || existsSync(new URL("package.json", folder))
    ? folder
    : folderWithManifest(parent);
}
