import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The threads and processes that tests start keep what they compile: most of their start is that. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/** They read or change the file of the store, or move the clock by which it counts; test/postgres/ has tests of its own. */
const ofFiles = [
  "test/accounts/deletion.test.ts",
  "test/accounts/limits.test.ts",
  "test/api/{hot-path,limits}.test.ts",
  "test/dashboard/accounts.test.ts",
  // Restarts with what is in its data folder.
  "test/nodes/credentials.test.ts",
  // Run in a process of their own only.
  "test/{api,dashboard}/isolation.test.ts",
];

/** The suites of the whole service once more, with the control store in PostgreSQL; `npm run test:postgres`. */
export default defineConfig({
  test: {
    include: [
      "test/{accounts,api,dashboard,mcp,nodes,platforms}/*.test.ts",
      "test/postgres/*.test.ts",
    ],
    exclude: ofFiles,
    globalSetup: ["testkit/postgres/postgres-suite.ts"],
    setupFiles: ["testkit/seeded-properties.ts"],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ["default", "./testkit/closing-line.ts"],
  },
});
