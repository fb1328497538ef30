import type { Clock } from "../../lib/clock.ts";
import type { Operations } from "../operations.ts";
import { type Calls, createCalls } from "./calls.ts";
import { createLeadership } from "./leadership.ts";
import { migratePostgres } from "./migrate.ts";
import { createListener, type Notifications } from "./notifications.ts";
import type { PostgresOptions } from "./pool.ts";

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
