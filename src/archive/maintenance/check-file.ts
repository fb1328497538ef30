import type { DatabaseSync } from "node:sqlite";
import { errorMessage } from "../../lib/errors.ts";

const maxErrors = 10;

export function checkFile(
  database: DatabaseSync,
  isFull: boolean,
  onError: (message: string) => void,
): void {
  const pragma = isFull ? "integrity_check" : "quick_check";
  try {
    for (const row of database.prepare(`PRAGMA ${pragma}(${maxErrors})`).iterate()) {
      const message = String(row[pragma]);
      if (message !== "ok") onError(message.replaceAll(/\s+/g, " "));
    }
  } catch (error) {
    onError(errorMessage(error));
  }
}
