import type { Clock } from "../../lib/clock.ts";
import { findOperation, type Operations } from "../operations.ts";
import { isOutOfConnections, storeUnavailable } from "./errors.ts";
import { openPool, type Pool, type PostgresOptions } from "./pool.ts";
import { runOperation } from "./run-operation.ts";

export type Calls = {
  /** Errors: those of the operation; `store_unavailable`, `storage_full`. */
  run(name: string, args: unknown): Promise<unknown>;
  pool(): Pool;
  /** Waits for running calls first. */
  close(): Promise<void>;
};

type CallOptions = {
  /** Calls with a common ID run in sequence. Default: no IDs. */
  changedBy?: (args: unknown) => readonly string[];
  /** Called after a hanging pool has been replaced. */
  onNewPool?: (pool: Pool) => void;
};

const maxRunningCalls = 5_000;

/** For a server without a free connection. */
const maxAttempts = 10;
const retryDelayMs = 10;

/**
 * Batches have their own connection, because a server process runs a statement faster the second
 * time.
 */
function openPools({ connections, ...options }: PostgresOptions): { pool: Pool; batchPool: Pool } {
  const pool = openPool({ ...options, connections: Math.max(1, connections - 1) });
  return { pool, batchPool: connections === 1 ? pool : openPool({ ...options, connections: 1 }) };
}

export function createCalls(
  options: PostgresOptions,
  operations: Operations,
  clock: Pick<Clock, "sleep" | "elapsed">,
  { changedBy = () => [], onNewPool = () => undefined }: CallOptions = {},
): Calls {
  let { pool, batchPool } = openPools(options);
  const callTimeout = createCallTimeout(options.timeoutMs, clock);
  const runningCalls = new Set<Promise<unknown>>();
  const lastCalls = new Map<string, Promise<unknown>>();

  function replacePool(hangingPool: Pool): void {
    if (pool !== hangingPool) return;
    const hangingBatchPool = batchPool;
    ({ pool, batchPool } = openPools(options));
    onNewPool(pool);
    for (const each of new Set([hangingPool, hangingBatchPool])) {
      each.end({ timeout: 0 }).catch(() => undefined);
    }
  }

  async function runAfter(earlierCalls: readonly Promise<unknown>[], name: string, args: unknown) {
    if (earlierCalls.length > 0) await Promise.allSettled(earlierCalls);
    for (let attempt = 1; ; attempt += 1) {
      const currentPool = pool;
      // If the server has no free connection for batches, the pool may already have one.
      const poolForBatches = attempt === 1 ? batchPool : currentPool;
      const call = runOperation(currentPool, findOperation(operations, name), args, poolForBatches);
      try {
        return await callTimeout.within(call, () => replacePool(currentPool));
      } catch (error) {
        if (!isOutOfConnections(error) || attempt === maxAttempts) throw error;
        await clock.sleep(attempt * retryDelayMs);
      }
    }
  }

  function run(name: string, args: unknown): Promise<unknown> {
    if (runningCalls.size >= maxRunningCalls)
      return Promise.reject(storeUnavailable("too many pending calls"));
    const changedIds = changedBy(args);
    const earlierCalls = changedIds.flatMap((id) => lastCalls.get(id) ?? []);
    const result = runAfter(earlierCalls, name, args);
    runningCalls.add(result);
    for (const id of changedIds) lastCalls.set(id, result);
    const end = (): void => {
      runningCalls.delete(result);
      for (const id of changedIds) if (lastCalls.get(id) === result) lastCalls.delete(id);
    };
    result.then(end, end);
    return result;
  }

  async function close(): Promise<void> {
    await Promise.allSettled(runningCalls);
    await Promise.all([...new Set([pool, batchPool])].map((each) => each.end({ timeout: 5 })));
    callTimeout.stop();
  }

  return { run, pool: () => pool, close };
}

type PendingCall = { untilMs: number; onTimeout: () => void };

type CallTimeout = {
  /** Errors: those of the call; `store_unavailable` after `onTimeout` if the call takes too long. */
  within<Value>(call: Promise<Value>, onTimeout: () => void): Promise<Value>;
  stop(): void;
};

/** If a call takes this many timeouts, the server is unreachable. */
const timeoutFactor = 2;

/** All calls share a timer, because a timer for each would cost more than the call. */
function createCallTimeout(
  timeoutMs: number,
  clock: Pick<Clock, "sleep" | "elapsed">,
): CallTimeout {
  const waitMs = timeoutFactor * timeoutMs;
  const pendingCalls = new Set<PendingCall>();
  const stopController = new AbortController();
  let isWatching = false;

  async function watch(): Promise<void> {
    isWatching = true;
    for (const oldestCall of pendingCalls) {
      const remainingMs = oldestCall.untilMs - clock.elapsed();
      if (remainingMs > 0) await clock.sleep(remainingMs, stopController.signal);
      if (pendingCalls.delete(oldestCall)) oldestCall.onTimeout();
    }
    isWatching = false;
  }

  function within<Value>(call: Promise<Value>, onTimeout: () => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      const entry: PendingCall = {
        untilMs: clock.elapsed() + waitMs,
        onTimeout: () => {
          onTimeout();
          reject(storeUnavailable(`it did not respond within ${waitMs} ms`));
        },
      };
      pendingCalls.add(entry);
      if (!isWatching) watch().catch(() => undefined);
      call.finally(() => pendingCalls.delete(entry)).then(resolve, reject);
    });
  }

  return { within, stop: () => stopController.abort() };
}
