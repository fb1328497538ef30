import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalStore } from "../db/local-store.ts";
import { controlMigrations } from "../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../db/open.ts";
import type { Store } from "../db/operations.ts";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import type { JobResult, SearchJobRequest } from "./job.ts";
import type { Lease, LeaseFailure } from "./leases/lease.ts";
import { type JobOperations, jobOperations } from "./operations.ts";
import { createJobQueue, type JobQueue, type JobQueueContext } from "./queue.ts";
import { type JobSettings, jobDefaults } from "./settings.ts";
import type { NewJob } from "./submissions/submission.ts";

export type JobTable = {
  database: SqliteDatabase;
  store: Store<JobOperations>;
  reopen(): JobTable;
  remove(): void;
};

export function openJobTable(folder = mkdtempSync(join(tmpdir(), "earshot-"))): JobTable {
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  for (const account of ["one", "two"]) {
    database.run("INSERT OR IGNORE INTO account(id, created_ms) VALUES(:account, 0)", { account });
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
  items: [
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

export type TestQueue = {
  clock: ManualClock;
  table: JobTable;
  queue: JobQueue;
  restart(how: "stop" | "kill", settings?: Partial<JobSettings>): Promise<void>;
  lease(): Promise<Lease<SearchJobRequest>>;
  complete(job?: NewJob): Promise<string>;
  close(): Promise<void>;
};

export async function startTestQueue(
  settings: Partial<JobSettings> = {},
  table = openJobTable(),
  listeners: Pick<
    JobQueueContext,
    | "localNodeId"
    | "shortSearches"
    | "onEnd"
    | "onFailedAttempt"
    | "hasNodeFor"
    | "hasOtherNodeFor"
    | "gateway"
    | "onError"
  > = {},
): Promise<TestQueue> {
  const clock = createManualClock();
  const errors: unknown[] = [];
  const test: TestQueue = {
    clock,
    table,
    queue: open(table, settings),
    restart: async (how, newSettings = settings) => {
      if (how === "stop") await test.queue.stop();
      else test.table = test.table.reopen();
      test.queue = open(test.table, newSettings);
      await test.queue.start();
    },
    lease: async () => {
      const lease = await test.queue.lease(testNode, 0);
      if (lease === null) throw new Error("nothing could be leased");
      return lease;
    },
    complete: async (job = newJob()) => {
      await test.queue.submit(job);
      const { uuid, token } = await test.lease();
      await test.queue.complete(uuid, token, result);
      return uuid;
    },
    close: async () => {
      await test.queue.stop();
      test.table.remove();
      if (errors.length > 0) throw errors[0];
    },
  };

  function open({ store }: JobTable, settingsOverrides: Partial<JobSettings>): JobQueue {
    const queue: JobQueue = createJobQueue({
      store,
      clock,
      randomUuid: randomUUID,
      settings: { ...jobDefaults, ...settingsOverrides },
      onError: (thrown) => test.queue === queue && errors.push(thrown),
      ...listeners,
    });
    return queue;
  }

  await test.queue.start();
  return test;
}

export const testNode = { nodeId: "node", methods: ["searchbyquery", "searchbyfullarchive"] };

export function newJob(keyId = "key", accountId = "one"): NewJob {
  return { accountId, keyId, request, canonicalQuery: "comet", warnings: [] };
}

export const failure: LeaseFailure = {
  code: "broken",
  message: "it broke",
  status: 502,
  retryable: true,
};
