import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../db/local-store.ts";
import { controlMigrations } from "../db/migrations/control.ts";
import { type Database, openForWriting } from "../db/open.ts";
import type { Store } from "../db/operations.ts";
import type { JobResult, SearchJobRequest } from "./job.ts";
import { type JobOperations, jobOperations } from "./operations.ts";

/** What the tests of this room share: a job table in a folder of its own, a request and a result. */
export type JobTable = {
  database: Database;
  store: Store<JobOperations>;
  /** Closes the database as a process that ends does, and opens it again. */
  reopen(): JobTable;
  remove(): void;
};

export function openJobTable(folder = mkdtempSync(join(tmpdir(), "earshot-"))): JobTable {
  const database = openForWriting(join(folder, "control.db"), controlMigrations);
  for (const account of ["one", "two"]) {
    database.run("INSERT OR IGNORE INTO account VALUES(:account, NULL, 0)", { account });
  }
  return {
    database,
    store: createLocalStore(database, jobOperations),
    reopen: () => {
      database.close();
      return openJobTable(folder);
    },
    remove: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export const request: SearchJobRequest = {
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet",
  maxResults: 20,
  fromMs: 1,
  toMs: 2,
  asOfMs: 0,
  after: { id: 1_860_000_000_000_000_001n, platform: "x" },
};

export const result: JobResult = {
  positions: [
    { id: 18_446_744_073_709_551_615n, platform: "bluesky" },
    { id: 20n, platform: "x" },
  ],
  next: { id: 20n, platform: "x" },
  complete: true,
  coverage: {
    fromMs: null,
    toMs: 2,
    complete: false,
    gaps: [{ fromMs: null, toMs: 1 }],
    truncated: false,
    platforms: [
      {
        platform: "x",
        collection: "posts",
        complete: false,
        held: [{ fromMs: 1, toMs: 2 }],
        gaps: [{ fromMs: null, toMs: 1 }],
        truncated: false,
      },
    ],
  },
  sources: [{ platform: "x", via: "archive", fromMs: null, toMs: 2, count: 2 }],
  warnings: [{ code: "incomplete_coverage", message: "there is a gap" }],
};
