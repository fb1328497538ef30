import type { Database, Steps } from "../../db/statements.ts";

/**
 * For a wall clock that was set back by `ms`. An attempt in progress is repeated, because its row
 * no longer matches.
 */
export function* shiftDeliveriesBack(database: Database, ms: number): Steps<void> {
  yield* database.run("UPDATE webhook SET due_ms = due_ms - :ms WHERE due_ms IS NOT NULL", { ms });
  yield* database.run(
    "UPDATE webhook_delivery SET next_ms = next_ms - :ms WHERE next_ms IS NOT NULL",
    {
      ms,
    },
  );
}
