import { defineConfig } from "vitest/config";

/** Real containers of the images that `.ci/container` builds; it names them in the environment. */
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
