import type { Clock } from "../../lib/clock.ts";
import type { Operations } from "../operations.ts";
import { type Calls, createCalls } from "./calls.ts";
import { postgresError } from "./errors.ts";
import { migratePostgres } from "./migrate.ts";
import { createListener, type Notifications } from "./notifications.ts";
import { openPool, type Pool, type PostgresOptions } from "./pool.ts";

export type PostgresStore = Pick<Calls, "run" | "close"> & {
  /** Errors: `newer_schema`, `store_unavailable`. */
  migrate(): Promise<void>;
  nextNotifications(): Promise<Notifications>;
  lead(): Promise<boolean>;
};

export function createPostgresStore(
  options: PostgresOptions,
  operations: Operations,
  changedBy: (args: unknown) => readonly string[],
  clock: Pick<Clock, "sleep" | "elapsed">,
): PostgresStore {
  const listener = createListener("job_change", clock);
  const calls = createCalls(options, operations, clock, {
    changedBy,
    onNewPool: listener.listenOn,
  });
  const leadership = createLeadership(options);
  return {
    migrate: async () => {
      await migratePostgres(calls.pool());
      listener.listenOn(calls.pool());
    },
    run: calls.run,
    nextNotifications: listener.next,
    lead: leadership.acquire,
    close: async () => {
      listener.close();
      await leadership.close();
      await calls.close();
    },
  };
}

type Leadership = {
  acquire(): Promise<boolean>;
  close(): Promise<void>;
};

/** Must be the same number in all processes. */
const leaderLock = 6_390_127_402;

/** Uses an advisory lock, which the server releases when the connection ends. */
function createLeadership(options: PostgresOptions): Leadership {
  let pool: Pool | null = null;
  let session: string | null = null;

  async function acquire(): Promise<boolean> {
    pool ??= openPool({ ...options, connections: 1 });
    try {
      // A new session does not hold the lock of an earlier one.
      const [row] = await pool.unsafe<{ session: string; isLocked: number }[]>(
        `SELECT pg_backend_pid()::TEXT AS session,
           CASE WHEN pg_backend_pid()::TEXT = '${session ?? ""}' THEN TRUE
             ELSE pg_try_advisory_lock(${leaderLock}) END AS "isLocked"`,
      );
      const isLeader = row?.isLocked === 1;
      session = isLeader ? row.session : null;
      return isLeader;
    } catch (error) {
      session = null;
      await close();
      throw postgresError(error);
    }
  }

  async function close(): Promise<void> {
    const poolToClose = pool;
    pool = null;
    await poolToClose?.end({ timeout: 0 }).catch(() => undefined);
  }

  return { acquire, close };
}
