import { randomUUID } from "node:crypto";
import type { Store } from "../../src/db/operations.ts";
import type { Parameters } from "../../src/db/statements.ts";
import type { JobOperations } from "../../src/jobs/operations.ts";
import { createJobQueue, type JobQueue } from "../../src/jobs/queue.ts";
import type { JobSettings } from "../../src/jobs/settings.ts";
import type { SearchAnswerer } from "../../src/jobs/submissions/search-operations.ts";
import { createManualClock, type ManualClock } from "../../src/lib/manual-clock.ts";
import { byPlatform } from "../../src/posts/post.ts";
import type { ShortSearchContext } from "../../src/search/archive-answer.ts";
import { createKillableStore, type KillableStore } from "./killable-store.ts";

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

/** The node that runs searches before their commit. */
export const localNodeId = "local";

export const accounts = ["one", "two"] as const;

export type MachineStore = {
  store: Store<JobOperations>;
  get<Row>(sql: string, parameters: Parameters): Promise<Row | undefined>;
  close(): Promise<void>;
};

export type MachineEngine = {
  open(answer: SearchAnswerer): Promise<MachineStore>;
  remove(): Promise<void>;
};

export type Machine = {
  readonly clock: ManualClock;
  queue: JobQueue;
  disk: MachineStore;
  killable: KillableStore<JobOperations>;
  answerSearch: SearchAnswerer;
  starts: number;
  errors: unknown[];
  settle(): Promise<void>;
  pass(ms: number): Promise<void>;
  start(): Promise<void>;
  /** `when` is relative to the commit of pending writes. */
  die(when: "before commit" | "after commit"): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
};

const emptySearchContext: ShortSearchContext = {
  requestableWithoutCredential: [],
  requestableWithCredential: [],
  streamedPlatforms: [],
  coverageSlackMs: 0,
  liveSinceMs: byPlatform(() => null),
  isMastodonFollowed: false,
  hasRecords: false,
};

/** Less than the second between two sweeps. */
const maxStepMs = 500;

export async function startMachine(engine: MachineEngine): Promise<Machine> {
  const clock = createManualClock();
  const errors: unknown[] = [];
  const answer: SearchAnswerer = (...requested) => machine.answerSearch(...requested);

  function createQueue(killable: KillableStore<JobOperations>): JobQueue {
    return createJobQueue({
      store: killable.store,
      clock,
      randomUuid: randomUUID,
      settings: machineSettings,
      localNodeId,
      shortSearches: {
        makeContext: () => emptySearchContext,
        version: () => 1,
        onAnswered: () => undefined,
        onSkipped: () => undefined,
      },
      onError: (thrown) => errors.push(thrown),
    });
  }

  const settle = async (): Promise<void> => {
    do {
      for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
    } while (machine.killable.pendingCount() > 0);
  };

  async function begin(): Promise<void> {
    const startup = machine.queue.start();
    await settle();
    await startup;
  }

  const disk = await engine.open(answer);
  const killable = createKillableStore(disk.store);
  const machine: Machine = {
    clock,
    disk,
    killable,
    queue: createQueue(killable),
    answerSearch: () => "busy",
    starts: 1,
    errors,
    settle,
    pass: async (ms) => {
      for (let remainingMs = ms; remainingMs > 0; remainingMs -= maxStepMs) {
        await clock.advance(Math.min(remainingMs, maxStepMs));
        await settle();
      }
    },
    start: async () => {
      machine.disk = await engine.open(answer);
      machine.killable = createKillableStore(machine.disk.store);
      machine.queue = createQueue(machine.killable);
      machine.starts += 1;
      await begin();
    },
    die: async (when) => {
      if (when === "after commit") {
        machine.killable.mute();
        await settle();
      }
      machine.killable.kill();
      await machine.disk.close();
    },
    stop: async () => {
      await machine.queue.stop();
      machine.killable.kill();
      await machine.disk.close();
    },
    close: async () => {
      await machine.stop();
      await engine.remove();
    },
  };
  await begin();
  return machine;
}
