import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The threads and processes that tests start keep what they compile: most of their start is that. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/** Most of what tests wait for is the disk: where there is room in memory, what they write goes there. */
const memory = "/dev/shm";
const neededBytes = 1024 ** 3;
if (process.env.TMPDIR === undefined && roomIn(memory) >= neededBytes) {
  const folder = mkdtempSync(join(memory, "earshot-tests-"));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

function roomIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The projects take nothing over from the whole: each names it. */
const setupFiles = ["testkit/seeded-properties.ts"];

/** Files that put something in the place of a module, which others would see. */
const mockingModules = ["test/api/isolation.test.ts", "test/dashboard/isolation.test.ts"];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "packages/*/src/**/*.test.ts", "web/src/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          setupFiles,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "service",
          include: [
            "test/{accounts,api,archive,cli,dashboard,deploy,docs,mcp,nodes,oracle,platforms,source}/*.test.ts",
          ],
          exclude: mockingModules,
          setupFiles,
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
          setupFiles,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
    coverage: { provider: "v8", include: ["src/**/*.ts", "packages/*/src/**/*.ts"] },
    reporters: ["default", "./testkit/closing-line.ts"],
  },
});
