import type { Store } from "../../db/operations.ts";
import type { EndedJob } from "../../jobs/queue.ts";
import type { Clock } from "../../lib/clock.ts";
import { addressNetwork } from "../client-addresses.ts";
import { createGatheredUsage, createKeyUses, createLatestRequests } from "./gathered-usage.ts";
import type { UsageOperations, UsageRow } from "./operations.ts";
import type { KeyRequest } from "./request-log-operations.ts";

const usageBucketMs = 900_000;

/** Writes usage every `flushMs` and on stop, with retries. A crash loses up to `flushMs`. */
export type UsageRecorder = {
  recordRequest(request: { accountId: string; keyId: string; status: number }): void;
  recordSearch(
    search: Pick<EndedJob, "accountId" | "keyId" | "method" | "state" | "posts" | "ms">,
  ): void;
  /** Written at most once a minute per key. */
  recordKeyUse(keyId: string, address: string): void;
  recordKeyRequest(request: KeyRequest): void;
  /** Never rejects. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type UsageRecorderContext = {
  store: Pick<Store<UsageOperations>, "write">;
  clock: Clock;
  settings: { flushMs: number; retentionMs: number };
  onError(error: unknown): void;
  onLost(calls: number): void;
};

const maxEntries = 20_000;
const maxLoggedKeys = 2_000;
/** Bounds how long a write blocks the writer. */
const rowsPerWrite = 200;
const sweepEveryMs = 3_600_000;

export function createUsageRecorder(context: UsageRecorderContext): UsageRecorder {
  const { store, clock, settings, onError } = context;
  const gatheredUsage = createGatheredUsage(maxEntries);
  const keyUses = createKeyUses(clock, maxEntries);
  const latestRequests = createLatestRequests(maxLoggedKeys);
  const stopping = new AbortController();
  let pendingFlush: Promise<void> | null = null;
  let backgroundWork: Promise<unknown> = Promise.resolve();

  const bucketNow = (): number => {
    const nowMs = clock.now();
    return nowMs - (nowMs % usageBucketMs);
  };

  const recordRequest: UsageRecorder["recordRequest"] = ({ accountId, keyId, status }) => {
    gatheredUsage.add({
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

  const recordSearch: UsageRecorder["recordSearch"] = (search) => {
    const { accountId, keyId, method, state, posts, ms } = search;
    gatheredUsage.add({
      accountId,
      keyId,
      method,
      bucketMs: bucketNow(),
      isRefused: false,
      hasFailed: state === "error",
      posts,
      // A cancelled job says nothing about durations.
      latencyMs: state === "cancelled" ? null : ms,
    });
  };

  /** Runs one write at a time. Callers that wait for it share the next, which includes their usage. */
  async function flush(): Promise<void> {
    await pendingFlush;
    pendingFlush ??= write().finally(() => {
      pendingFlush = null;
    });
    await pendingFlush;
  }

  async function write(): Promise<void> {
    let rows: readonly UsageRow[] = gatheredUsage.take();
    let uses = keyUses.takeDue();
    while (rows.length > 0 || uses.length > 0) {
      try {
        await store.write("addUsage", {
          rows: rows.slice(0, rowsPerWrite),
          uses: uses.slice(0, rowsPerWrite).map(({ keyId, usedMs, address }) => ({
            keyId,
            usedMs,
            usedFrom: addressNetwork(address),
          })),
        });
      } catch (error) {
        gatheredUsage.restore(rows);
        keyUses.restore(uses);
        onError(error);
        break;
      }
      rows = rows.slice(rowsPerWrite);
      uses = uses.slice(rowsPerWrite);
    }
    await writeRequests();
    const lostCalls = gatheredUsage.takeLost();
    if (lostCalls > 0) context.onLost(lostCalls);
  }

  async function writeRequests(): Promise<void> {
    let requests = latestRequests.take();
    while (requests.length > 0) {
      try {
        await store.write("addKeyRequests", { requests: requests.slice(0, rowsPerWrite) });
      } catch (error) {
        latestRequests.restore(requests);
        onError(error);
        return;
      }
      requests = requests.slice(rowsPerWrite);
    }
  }

  async function keepFlushing(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(settings.flushMs, stopping.signal).catch(() => undefined);
      await flush();
    }
  }

  async function keepSweeping(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweep().catch(onError);
      await clock.sleep(sweepEveryMs, stopping.signal).catch(() => undefined);
    }
  }

  async function sweep(): Promise<void> {
    const beforeMs = clock.now() - settings.retentionMs;
    while (!stopping.signal.aborted && (await store.write("dropUsage", { beforeMs })));
    while (!stopping.signal.aborted && (await store.write("dropKeyRequests", { beforeMs })));
  }

  return {
    recordRequest,
    recordSearch,
    recordKeyUse: keyUses.record,
    recordKeyRequest: latestRequests.record,
    flush,
    start: () => {
      backgroundWork = Promise.all([keepFlushing(), keepSweeping()]);
    },
    stop: async () => {
      stopping.abort();
      keyUses.makeAllDue();
      await backgroundWork;
      await flush();
    },
  };
}
