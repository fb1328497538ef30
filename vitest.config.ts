import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The threads and processes that tests start keep what they compile: most of their start is that. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/** Files that put something in the place of a module, which others would see. */
const mockingModules = ["test/api-isolation.test.ts", "test/dashboard-isolation.test.ts"];

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
          exclude: mockingModules,
          // Loading the whole service takes longer than most files' tests.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "service apart",
          include: mockingModules,
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
