import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The threads and processes that tests start keep what they compile: most of their start is that. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/**
 * Real processes, killed and cut off, the dashboard in a real Chromium, and real platforms where an account is named;
 * `npm run test:slow`.
 */
export default defineConfig({
  test: {
    include: ["test/browser/*.test.ts", "test/slow/**/*.test.ts", "test/contract/*.test.ts"],
    setupFiles: ["testkit/seeded-properties.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ["default", "./testkit/closing-line.ts"],
  },
});
