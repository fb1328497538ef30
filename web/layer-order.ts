import type { Plugin } from "vite";

/** Styles of a page come in several files, in any order; the first of them that loads must set the order of layers. */
export function layerOrder(): Plugin {
  return {
    name: "layer-order",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const asset of Object.values(bundle)) {
        if (asset.type !== "asset" || !asset.fileName.endsWith(".css")) continue;
        asset.source = `@layer base, layout, components, pages;${asset.source}`;
      }
    },
  };
}
