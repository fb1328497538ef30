import type { Store } from "../../db/operations.ts";
import type { EndedJob } from "../../jobs/queue.ts";
import type { Clock } from "../../lib/clock.ts";
import { addressNetwork } from "../address-network.ts";
import { createGatheredUsage } from "./gathered-usage.ts";
import { createKeyUses } from "./key-uses.ts";
import type { UsageOperations, UsageRow } from "./operations.ts";

/** What usage is counted by. */
const usageBucketMs = 900_000;

/**
 * Counts what keys are used for, in memory; nothing is written a call. What has gathered is written every `flushMs` and at the
 * stop, by relaxed writes; what could not be written goes with the next. After a crash the last `flushMs` are not counted.
 */
export type UsageRecorder = {
  /** A request that a key brought, and the status that it was answered with. */
  noteRequest(request: { accountId: string; keyId: string; status: number }): void;
  /** A job that has ended, `ms` after its submission, with so many posts. */
  noteSearch(
    search: Pick<EndedJob, "accountId" | "keyId" | "method" | "state" | "posts" | "ms">,
  ): void;
  /** That a key was used, from an address; written down at most once a minute. */
  noteKeyUse(keyId: string, address: string): void;
  /** Writes what has gathered; never rejects. */
  flush(): Promise<void>;
  start(): void;
  /** Writes what has gathered, and ends. */
  stop(): Promise<void>;
};

export type UsageRecorderContext = {
  store: Pick<Store<UsageOperations>, "write">;
  clock: Clock;
  settings: { flushMs: number; retentionMs: number };
  /** Told why a write failed. */
  onFault(fault: unknown): void;
  /** Told once how many calls were not counted, as too much waits to be written. */
  onLost(calls: number): void;
};

/** Keys, methods and quarters of an hour that may wait to be written. */
const mostEntries = 20_000;
/** Rows of one write, so that none holds the writer for long. */
const rowsOfWrite = 200;
const sweepEveryMs = 3_600_000;

export function createUsageRecorder(context: UsageRecorderContext): UsageRecorder {
  const { store, clock, settings, onFault } = context;
  const gathered = createGatheredUsage(mostEntries);
  const keyUses = createKeyUses(clock, mostEntries);
  const stopping = new AbortController();
  let flushing: Promise<void> | null = null;
  let working: Promise<unknown> = Promise.resolve();

  const bucketNow = (): number => {
    const nowMs = clock.now();
    return nowMs - (nowMs % usageBucketMs);
  };

  const noteRequest: UsageRecorder["noteRequest"] = ({ accountId, keyId, status }) => {
    gathered.add({
      accountId,
      keyId,
      method: "",
      bucketMs: bucketNow(),
      isRefused: status === 429,
      hasFailed: status >= 500,
      posts: 0,
      latencyMs: null,
    });
  };

  const noteSearch: UsageRecorder["noteSearch"] = (search) => {
    const { accountId, keyId, method, state, posts, ms } = search;
    gathered.add({
      accountId,
      keyId,
      method,
      bucketMs: bucketNow(),
      isRefused: false,
      hasFailed: state === "error",
      posts,
      // When its owner cancelled it says nothing of how long it takes.
      latencyMs: state === "cancelled" ? null : ms,
    });
  };

  /** One at a time: whoever asks meanwhile may have added something that is not on its way, and waits for one more. */
  async function flush(): Promise<void> {
    await flushing;
    flushing ??= write().finally(() => {
      flushing = null;
    });
    await flushing;
  }

  async function write(): Promise<void> {
    let rows: readonly UsageRow[] = gathered.take();
    let uses = keyUses.takeDue();
    while (rows.length > 0 || uses.length > 0) {
      try {
        await store.write("addUsage", {
          rows: rows.slice(0, rowsOfWrite),
          uses: uses.slice(0, rowsOfWrite).map(({ keyId, usedMs, address }) => ({
            keyId,
            usedMs,
            usedFrom: addressNetwork(address),
          })),
        });
      } catch (fault) {
        gathered.putBack(rows);
        keyUses.putBack(uses);
        onFault(fault);
        break;
      }
      rows = rows.slice(rowsOfWrite);
      uses = uses.slice(rowsOfWrite);
    }
    const lost = gathered.takeLost();
    if (lost > 0) context.onLost(lost);
  }

  async function keepFlushing(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(settings.flushMs, stopping.signal).catch(() => undefined);
      await flush();
    }
  }

  async function keepSweeping(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweep().catch(onFault);
      await clock.sleep(sweepEveryMs, stopping.signal).catch(() => undefined);
    }
  }

  async function sweep(): Promise<void> {
    const beforeMs = clock.now() - settings.retentionMs;
    while (!stopping.signal.aborted && (await store.write("dropUsage", { beforeMs })));
  }

  return {
    noteRequest,
    noteSearch,
    noteKeyUse: keyUses.note,
    flush,
    start: () => {
      working = Promise.all([keepFlushing(), keepSweeping()]);
    },
    stop: async () => {
      stopping.abort();
      keyUses.hurry();
      await working;
      await flush();
    },
  };
}
