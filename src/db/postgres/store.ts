import type { Clock } from "../../lib/clock.ts";
import { type Operations, operationOf } from "../operations.ts";
import { storeUnavailable } from "./errors.ts";
import { createLeadership, type Lead } from "./leadership.ts";
import { migratePostgres } from "./migrate.ts";
import { createListener, type Notifications } from "./notifications.ts";
import { openPool, type Pool, type PostgresTerms } from "./pool.ts";
import { runOperation } from "./run-operation.ts";

export type PostgresStore = {
  /** Brings the schema up to date. Errors: `newer_schema`, `store_unavailable`. */
  migrate(): Promise<void>;
  /** Errors: those of the operation; `store_unavailable`, `storage_full`, both retryable. */
  run(name: string, args: unknown): Promise<unknown>;
  /** Of changes that other processes committed. */
  nextNotifications(): Promise<Notifications>;
  /** Whether this process leads (leadership.ts). */
  lead(): Promise<Lead>;
  /** Completes calls first. */
  close(): Promise<void>;
};

/** A server that answers ends a statement before; longer, and it or the way to it is gone. */
const patience = 2;

const mostWaiting = 5_000;

const never = new Promise<never>(() => undefined);

/**
 * Operations on a PostgreSQL server. Calls with the same `orderOf` (null: none) run one after the other, the others side by side.
 */
export function createPostgresStore(
  terms: PostgresTerms,
  operations: Operations,
  orderOf: (args: unknown) => string | null,
  clock: Pick<Clock, "sleep">,
): PostgresStore {
  let pool = openPool(terms);
  const listener = createListener("job_change", clock);
  const leadership = createLeadership(terms);
  const running = new Set<Promise<unknown>>();
  const lastOf = new Map<string, Promise<unknown>>();

  /** Connections that hang are given up with their pool, and the next call connects again. */
  function giveUp(hanging: Pool): void {
    if (pool !== hanging) return;
    pool = openPool(terms);
    listener.listenOn(pool);
    hanging.end({ timeout: 0 }).catch(() => undefined);
  }

  async function withinPatience<Value>(work: (used: Pool) => Promise<Value>): Promise<Value> {
    const used = pool;
    const waitMs = patience * terms.timeoutMs;
    const done = new AbortController();
    const late = clock.sleep(waitMs, done.signal).then(
      () => {
        giveUp(used);
        throw storeUnavailable(`it did not answer within ${waitMs} ms`);
      },
      () => never,
    );
    try {
      return await Promise.race([work(used), late]);
    } finally {
      done.abort();
    }
  }

  async function runAfter(earlier: Promise<unknown> | undefined, name: string, args: unknown) {
    await earlier?.catch(() => undefined);
    return await withinPatience((used) => runOperation(used, operationOf(operations, name), args));
  }

  function run(name: string, args: unknown): Promise<unknown> {
    if (running.size >= mostWaiting) return Promise.reject(storeUnavailable("too many calls wait"));
    const order = orderOf(args);
    const result = runAfter(order === null ? undefined : lastOf.get(order), name, args);
    running.add(result);
    if (order !== null) lastOf.set(order, result);
    const end = (): void => {
      running.delete(result);
      if (order !== null && lastOf.get(order) === result) lastOf.delete(order);
    };
    result.then(end, end);
    return result;
  }

  return {
    migrate: async () => {
      await migratePostgres(pool);
      listener.listenOn(pool);
    },
    run,
    nextNotifications: listener.next,
    lead: leadership.take,
    close: async () => {
      await Promise.allSettled(running);
      listener.close();
      await leadership.close();
      await pool.end({ timeout: 5 });
    },
  };
}
