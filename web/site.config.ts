import { resolve } from "node:path";
import { defineConfig } from "vite";
import { layerOrder } from "./layer-order.ts";

const root = import.meta.dirname;

/**
 * Builds the landing page and the template of the documentation's pages into dist/web, after the dashboard. A separate build,
 * because they need none of the dashboard's shared code.
 */
export default defineConfig({
  root,
  base: "/dashboard/",
  plugins: [layerOrder()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: false,
    copyPublicDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: [resolve(root, "index.html"), resolve(root, "docs.html")] },
  },
});
