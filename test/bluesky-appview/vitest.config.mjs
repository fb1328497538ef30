import { defineConfig } from "vitest/config";

/** For `npm test` in this folder, with a real network and real processes. */
// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  test: {
    include: ["*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    reporters: ["default", "../../testkit/closing-line.ts"],
  },
});
