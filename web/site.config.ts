import { resolve } from "node:path";
import { defineConfig } from "vite";
import { layerOrder } from "./layer-order.ts";

const root = import.meta.dirname;

/**
 * Builds the landing page and the docs template into dist/web, after the dashboard. Separate,
 * because they need none of its shared code.
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
