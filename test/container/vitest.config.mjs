import { defineConfig } from "vitest/config";

/** The images come from `.ci/container` and are named in the environment. */
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
