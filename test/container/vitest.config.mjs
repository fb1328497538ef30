import { defineConfig } from "vitest/config";

/** The environment names images built by `.ci/container`. */
// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 120_000,
    fileParallelism: false,
    reporters: ["default", "../../testkit/closing-line.ts"],
  },
});
