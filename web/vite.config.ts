import { resolve } from "node:path";
import { defineConfig } from "vite";
import { layerOrder } from "./layer-order.ts";
import { pageFiles } from "./page-files.ts";

const root = import.meta.dirname;

export default defineConfig({
  root,
  base: "/dashboard/",
  plugins: [layerOrder(), pageFiles()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // swr and wouter import React.
  resolve: { alias: { react: "preact/compat" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: resolve(root, "app.html"),
      checks: { moduleLevelDirective: false },
      output: {
        codeSplitting: {
          // Few files, because on a slow connection another file costs more than some unused code.
          groups: [
            { name: "shared", test: /node_modules|web\/src\/(?!pages\/)/, minShareCount: 2 },
            { name: "search", test: /packages\/query|pages\/playground/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
