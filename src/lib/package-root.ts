import { existsSync } from "node:fs";

/** Folder of package.json, openapi.json and docs/, for sources, dist/ and installed packages alike. */
export const packageRoot: URL = folderWithManifest(new URL(".", import.meta.url));

function folderWithManifest(folder: URL): URL {
  const parent = new URL("..", folder);
  const isRoot = parent.href === folder.href;
  return isRoot || existsSync(new URL("package.json", folder))
    ? folder
    : folderWithManifest(parent);
}
