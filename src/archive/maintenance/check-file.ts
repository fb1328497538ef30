import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../lib/errors.ts";

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
    // Some damage ends this check. What can be read is compared all the same.
    onFault(messageOf(error));
  }
}
