import type { Database } from "../../db/open.ts";

/**
 * The wall clock was put back by `ms`: what waits is due as far from now as before. Put forward, it may be due earlier, which
 * harms nobody. A try under way is made again, as its delivery is not as it was when the try began.
 */
export function putDeliveriesBack(database: Database, ms: number): void {
  database.run("UPDATE webhook SET due_ms = due_ms - :ms WHERE due_ms IS NOT NULL", { ms });
  database.run("UPDATE webhook_delivery SET next_ms = next_ms - :ms WHERE next_ms IS NOT NULL", {
    ms,
  });
}
