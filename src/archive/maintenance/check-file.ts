import type { DatabaseSync } from "node:sqlite";
import { errorMessage } from "../../lib/errors.ts";
import { damagedTables } from "../segments/table-checksums.ts";
import type { Report } from "./index-findings.ts";

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

/** Requires a snapshot. */
export function* checkTableChecksums(
  database: DatabaseSync,
  report: Report,
): Generator<number, void> {
  const steps = damagedTables(database);
  for (;;) {
    const step = steps.next();
    if (step.done) {
      for (const table of step.value) {
        report("sums_differ", null, `table ${table} does not match its checksum`);
      }
      return;
    }
    yield 0;
  }
}
