import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  test: {
    include: ["*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    // On a busy machine Chromium sometimes does not paint in time.
    retry: 2,
    reporters: ["default", "../../testkit/closing-line.ts"],
  },
});
