import { resolve } from "node:path";
import { defineConfig } from "vite";

const root = import.meta.dirname;

/**
 * Builds the template of the documentation's pages into dist/web, after the dashboard. Apart from it: with shared chunks, pages
 * would load their styles in an order that changes the cascade.
 */
export default defineConfig({
  root,
  base: "/dashboard/",
  build: {
    outDir: "../dist/web",
    emptyOutDir: false,
    copyPublicDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: resolve(root, "docs.html") },
  },
});
