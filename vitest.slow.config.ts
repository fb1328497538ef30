import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Threads and processes that tests start share compiled code: compiling takes most of their start. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/**
 * `npm run test:slow`: real processes that are killed or disconnected, the dashboard in Chromium, and real platforms if an
 * account is configured.
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
