import { defineConfig } from "vitest/config";

/** Images from `.ci/container`, named in the environment. */
// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration there.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 120_000,
    fileParallelism: false,
    reporters: ["default", "../../testkit/closing-line.ts"],
  },
});
