import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Threads and processes that tests start share compiled code: compiling takes most of their start. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/earshot");

/** They access the store's file, or move the clock that its rate limits use; test/postgres/ has its own versions. */
const fileStoreOnly = [
  "test/accounts/deletion.test.ts",
  "test/accounts/limits.test.ts",
  "test/api/{hot-path,limits}.test.ts",
  "test/dashboard/accounts.test.ts",
  // Restarts from its data folder.
  "test/nodes/credentials.test.ts",
  // Require a process of their own.
  "test/{api,dashboard}/isolation.test.ts",
];

/** `npm run test:postgres`: the suites of the whole service, with the control store in PostgreSQL. */
export default defineConfig({
  test: {
    include: [
      "test/{accounts,api,dashboard,mcp,nodes,platforms}/*.test.ts",
      "test/postgres/*.test.ts",
    ],
    exclude: fileStoreOnly,
    globalSetup: ["testkit/postgres/postgres-suite.ts"],
    setupFiles: ["testkit/seeded-properties.ts"],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ["default", "./testkit/closing-line.ts"],
  },
});
