import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Threads and processes that tests start share compiled code: compiling takes most of their start. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/** Tests mostly wait for the disk, so temporary files go to memory where there is room. */
const memory = "/dev/shm";
const requiredBytes = 1024 ** 3;
if (process.env.TMPDIR === undefined && freeBytesIn(memory) >= requiredBytes) {
  const folder = mkdtempSync(join(memory, "earshot-tests-"));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

function freeBytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Projects inherit nothing from the root configuration. */
const setupFiles = ["testkit/seeded-properties.ts"];

/** These mock modules, which other files would see without isolation. */
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
          name: "service, isolated",
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
