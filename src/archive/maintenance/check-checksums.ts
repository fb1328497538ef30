import type { DatabaseSync } from "node:sqlite";
import { damagedTables } from "../segments/table-checksums.ts";
import type { Report } from "./index-findings.ts";

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
