import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../lib/errors.ts";
import { isDamage } from "../sealed/damage.ts";

const mostFaults = 10;

/** What SQLite itself says of a file, also of the inner form of its index; `isFull` compares tables with their indexes too. */
export function checkFile(
  database: DatabaseSync,
  isFull: boolean,
  onFault: (message: string) => void,
): void {
  const pragma = isFull ? "integrity_check" : "quick_check";
  try {
    for (const row of database.prepare(`PRAGMA ${pragma}(${mostFaults})`).iterate()) {
      const message = String(row[pragma]);
      if (message !== "ok") onFault(message.replaceAll(/\s+/g, " "));
    }
  } catch (error) {
    // Some damage ends the look at all that follows. What can be read is compared all the same.
    if (!isDamage(error)) throw error;
    onFault(messageOf(error));
  }
}
