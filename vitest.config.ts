import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "service",
          include: ["test/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
    coverage: { provider: "v8", include: ["src/**/*.ts"] },
    reporters: ["default", "./test/closing-line.ts"],
  },
});
