import { defineConfig } from "vitest/config";

/** Real processes, killed and cut off; `npm run test:slow`. */
export default defineConfig({
  test: {
    include: ["test/slow/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ["default", "./test/closing-line.ts"],
  },
});
