import { existsSync } from "node:fs";

/** The folder of Earshot's package.json, openapi.json and docs/: the same for sources, a build in dist/ and an installed package. */
export const packageRoot: URL = folderWithManifest(new URL(".", import.meta.url));

function folderWithManifest(folder: URL): URL {
  const parent = new URL("..", folder);
  const isRoot = parent.href === folder.href;
  return isRoot || existsSync(new URL("package.json", folder))
    ? folder
    : folderWithManifest(parent);
}
