import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const root = import.meta.dirname;

/** Builds the landing page and the dashboard into dist/web, served below /dashboard/. */
export default defineConfig({
  root,
  base: "/dashboard/",
  plugins: [react()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: resolve(root, "index.html"), app: resolve(root, "app.html") },
    },
  },
});
