import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** For pages below /dashboard/; bin/build-dashboard.mjs builds each apart, because shared chunks would change the order of styles. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/dashboard/",
  plugins: [react()],
  build: {
    outDir: "../dist/web",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files, because browsers load only six at a time.
          groups: [
            { name: "query", test: /packages.query/, minShareCount: 2, priority: 1 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
});
