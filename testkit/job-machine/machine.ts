import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openForWriting, type SqliteDatabase } from "../../src/db/open.ts";
import { type JobOperations, jobOperations } from "../../src/jobs/operations.ts";
import { createJobQueue, type JobQueue } from "../../src/jobs/queue.ts";
import { type AnswerSearch, answerSearches } from "../../src/jobs/search-operations.ts";
import type { JobSettings } from "../../src/jobs/settings.ts";
import { createManualClock, type ManualClock } from "../../src/lib/manual-clock.ts";
import type { ShortSearchTerms } from "../../src/search/short-search.ts";
import { createMortalStore, type MortalStore } from "./mortal-store.ts";

export const machineSettings = {
  deadlineMs: 120_000,
  deadlineGraceMs: 2_000,
  maxAttempts: 3,
  leaseMs: 30_000,
  // The first retry is near and hidden, the second is visible.
  retryDelayMs: 2_500,
  resultRetentionMs: 5_400_000,
  retentionMs: 21_600_000,
  idempotencyMs: 10_800_000,
  maxWaiting: 1_000,
  maxRunningPerKey: 2,
} satisfies JobSettings;

/** The node that may run searches before their commit. */
export const localNodeId = "local";

export const accounts = ["one", "two"] as const;

/** The queue over a store on disk, in a process that can be killed. */
export type Machine = {
  readonly clock: ManualClock;
  queue: JobQueue;
  database: SqliteDatabase;
  mortal: MortalStore<JobOperations>;
  /** How searches are answered at commit. */
  answerHere: AnswerSearch;
  /** Number of starts. */
  starts: number;
  faults: unknown[];
  start(): Promise<void>;
  /** Kills the process before or after the commit of pending writes. */
  die(when: "before commit" | "after commit"): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
};

const noTerms: ShortSearchTerms = {
  askableOpenly: [],
  askableWithCredential: [],
  fedPlatforms: [],
  coverageSlackMs: 0,
  liveSinceMs: { bluesky: null, mastodon: null, x: null },
  isMastodonFollowed: false,
  hasRecords: false,
};

/** Runs everything that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
}

export async function startMachine(): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-machine-"));
  const clock = createManualClock();
  const faults: unknown[] = [];

  function open(): SqliteDatabase {
    const database = openForWriting(join(folder, "control.db"), controlMigrations);
    database.syncCommits(false);
    for (const account of accounts) {
      database.run("INSERT OR IGNORE INTO account(id, created_ms) VALUES(:account, 0)", {
        account,
      });
    }
    // Only the process dies, not the machine.
    const opened: SqliteDatabase = { ...database, syncCommits: () => undefined };
    answerSearches(opened.forOperations, (...requested) => machine.answerHere(...requested));
    return opened;
  }

  function queueOn(mortal: MortalStore<JobOperations>): JobQueue {
    return createJobQueue({
      store: mortal.store,
      clock,
      randomUuid: randomUUID,
      settings: machineSettings,
      localNodeId,
      shortSearches: {
        termsOf: () => noTerms,
        version: () => 1,
        onAnswered: () => undefined,
        onSkipped: () => undefined,
      },
      onError: (thrown) => faults.push(thrown),
    });
  }

  const database = open();
  const mortal = createMortalStore(database, jobOperations);
  const machine: Machine = {
    clock,
    database,
    mortal,
    queue: queueOn(mortal),
    answerHere: () => "busy",
    starts: 1,
    faults,
    start: async () => {
      machine.database = open();
      machine.mortal = createMortalStore(machine.database, jobOperations);
      machine.queue = queueOn(machine.mortal);
      machine.starts += 1;
      await machine.queue.start();
    },
    die: async (when) => {
      if (when === "after commit") {
        machine.mortal.mute();
        await settle();
      }
      machine.mortal.kill();
      machine.database.close();
    },
    stop: async () => {
      await machine.queue.stop();
      machine.mortal.kill();
      machine.database.close();
    },
    close: async () => {
      await machine.stop();
      rmSync(folder, { recursive: true });
    },
  };
  await machine.queue.start();
  return machine;
}
