import { randomBytes } from "node:crypto";
import { sharedAdmittedSearchOperations } from "../../accounts/shared-admitted-search-operations.ts";
import { sharedLimitOperations } from "../../accounts/shared-limit-operations.ts";
import { type ArgsOf, durable, read, relaxed, withRowLocks } from "../../db/operations.ts";
import { type Calls, createCalls } from "../../db/postgres/calls.ts";
import type { PostgresOptions } from "../../db/postgres/pool.ts";
import { createPostgresStore, type PostgresStore } from "../../db/postgres/store.ts";
import { ensureSecrets } from "../../db/settings.ts";
import type { Database, Steps } from "../../db/statements.ts";
import {
  sharedEndOperations,
  sharedFetchedOperations,
} from "../../jobs/ends/shared-end-operations.ts";
import { sharedLeaseOperations } from "../../jobs/leases/shared-lease-operations.ts";
import { sharedSubmissionOperations } from "../../jobs/submissions/shared-submission-operations.ts";
import { systemClock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { controlOperations } from "./control-operations.ts";

/** Operations on PostgreSQL; some replace those of `controlOperations`. */
export const databaseOperations = {
  ...controlOperations,
  ...sharedLimitOperations,
  ...sharedAdmittedSearchOperations,
  ...sharedFetchedOperations,
  ...withRowLocks({
    ...sharedSubmissionOperations,
    ...sharedLeaseOperations,
    ...sharedEndOperations,
  }),
  beat: relaxed(function* (database, args: ArgsOf<typeof controlOperations.beat>): Steps<number> {
    yield* controlOperations.beat.run(database, args);
    return yield* serverTime(database);
  }),
  sharedTime: read(serverTime),
  refuseUnfinishedCopy: read(function* (database, _args: null): Steps<null> {
    const copy = yield* database.get(
      "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'control_copy'",
    );
    if (copy !== undefined) throw unfinishedCopy();
    return null;
  }),
  ensureSecrets: durable(function* (database, _args: null): Steps<null> {
    yield* ensureSecrets(database, randomBytes);
    return null;
  }),
};

function* serverTime(database: Database): Steps<number> {
  const time = yield* database.get<{ nowMs: number }>("SELECT now_us() / 1000 AS nowMs");
  if (time === undefined) throw new Error("the server returned no time");
  return time.nowMs;
}

/** Rates share one connection, because many short calls cost less if they share a write. */
export const splitConnections = (
  options: PostgresOptions,
): { rates: PostgresOptions; otherCalls: PostgresOptions } => ({
  rates: { ...options, connections: 1, isUnsynced: true },
  otherCalls: { ...options, connections: options.connections - 1 },
});

/** Calls require the tables, which exist once the control store is open. */
export function openRates(options: PostgresOptions): Pick<Calls, "run" | "close"> {
  return createCalls(options, sharedLimitOperations, systemClock);
}

/** Creates missing tables and secrets. Errors: `newer_schema`, `copy_unfinished`, `store_unavailable`. */
export async function openControlDatabase(options: PostgresOptions): Promise<PostgresStore> {
  const store = createPostgresStore(options, databaseOperations, jobUuids, systemClock);
  try {
    await store.migrate();
    await store.run("refuseUnfinishedCopy", null);
    await store.run("ensureSecrets", null);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

const unfinishedCopy = (): EarshotError =>
  new EarshotError(
    "copy_unfinished",
    "the copy of the control store to the database is incomplete",
    {
      status: 503,
      hint: "run earshot control copy again to resume it",
    },
  );

type WithUuid = { uuid?: unknown };
type JobArgs = WithUuid & { row?: WithUuid; lease?: WithUuid; leases?: readonly WithUuid[] };

/** The jobs that a call changes. Such calls run in order, so that a lease finds the job just inserted. */
export function jobUuids(args: unknown): string[] {
  if (typeof args !== "object" || args === null) return [];
  const { uuid, row, lease, leases = [] } = args as JobArgs;
  const ids = [uuid, row?.uuid, lease?.uuid, ...leases.map((entry) => entry.uuid)];
  return ids.filter((id) => typeof id === "string");
}
