import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The threads and processes that tests start keep what they compile: most of their start is that. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "web/src/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "service",
          include: ["test/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
    coverage: { provider: "v8", include: ["src/**/*.ts"] },
    reporters: ["default", "./test/closing-line.ts"],
  },
});
