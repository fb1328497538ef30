import type { Clock } from "../../lib/clock.ts";
import { type Operations, operationOf } from "../operations.ts";
import { createCallTimeout } from "./call-timeout.ts";
import { isOutOfConnections, storeUnavailable } from "./errors.ts";
import { openPool, type Pool, type PostgresTerms } from "./pool.ts";
import { runOperation } from "./run-operation.ts";

export type Calls = {
  /** Errors: those of the operation; `store_unavailable`, `storage_full`. */
  run(name: string, args: unknown): Promise<unknown>;
  pool(): Pool;
  /** Completes calls first. */
  close(): Promise<void>;
};

type CallOptions = {
  /** What a call changes. Calls that change the same thing run in sequence, others concurrently. Default: nothing. */
  changedBy?: (args: unknown) => readonly string[];
  /** The new pool replaces one that hangs. */
  onNewPool?: (pool: Pool) => void;
};

const maxWaiting = 5_000;

/** Attempts to connect while the server accepts no more connections. */
const maxAttempts = 10;
const pauseMs = 10;

/** Lists have a connection of their own: a server process that has just run a statement runs it faster than others. */
function openPools({ connections, ...terms }: PostgresTerms): { pool: Pool; lists: Pool } {
  const pool = openPool({ ...terms, connections: Math.max(1, connections - 1) });
  return { pool, lists: connections === 1 ? pool : openPool({ ...terms, connections: 1 }) };
}

export function createCalls(
  terms: PostgresTerms,
  operations: Operations,
  clock: Pick<Clock, "sleep" | "elapsed">,
  { changedBy = () => [], onNewPool = () => undefined }: CallOptions = {},
): Calls {
  let { pool, lists } = openPools(terms);
  const callTimeout = createCallTimeout(terms.timeoutMs, clock);
  const running = new Set<Promise<unknown>>();
  const lastOf = new Map<string, Promise<unknown>>();

  /** Closes a pool whose connections hang; the next call connects again. */
  function giveUp(hanging: Pool): void {
    if (pool !== hanging) return;
    const hangingLists = lists;
    ({ pool, lists } = openPools(terms));
    onNewPool(pool);
    for (const each of new Set([hanging, hangingLists])) {
      each.end({ timeout: 0 }).catch(() => undefined);
    }
  }

  async function runAfter(earlier: readonly Promise<unknown>[], name: string, args: unknown) {
    if (earlier.length > 0) await Promise.allSettled(earlier);
    for (let attempt = 1; ; attempt += 1) {
      const used = pool;
      // The server may have no connection for lists, and the pool one.
      const ofLists = attempt === 1 ? lists : used;
      const call = runOperation(used, operationOf(operations, name), args, ofLists);
      try {
        return await callTimeout.within(call, () => giveUp(used));
      } catch (error) {
        if (!isOutOfConnections(error) || attempt === maxAttempts) throw error;
        await clock.sleep(attempt * pauseMs);
      }
    }
  }

  function run(name: string, args: unknown): Promise<unknown> {
    if (running.size >= maxWaiting)
      return Promise.reject(storeUnavailable("too many pending calls"));
    const changed = changedBy(args);
    const earlier = changed.flatMap((each) => lastOf.get(each) ?? []);
    const result = runAfter(earlier, name, args);
    running.add(result);
    for (const each of changed) lastOf.set(each, result);
    const end = (): void => {
      running.delete(result);
      for (const each of changed) if (lastOf.get(each) === result) lastOf.delete(each);
    };
    result.then(end, end);
    return result;
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running);
    await Promise.all([...new Set([pool, lists])].map((each) => each.end({ timeout: 5 })));
    callTimeout.stop();
  }

  return { run, pool: () => pool, close };
}
