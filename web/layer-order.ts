import type { Plugin } from "vite";

/**
 * The styles of a page are in several files, in any order; the first to load must set the order of
 * layers.
 */
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
