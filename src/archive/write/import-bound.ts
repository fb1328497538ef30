import { EarshotError } from "../../lib/errors.ts";
import { archiveBytes } from "../catalog/archive-bytes.ts";
import { orphanedTotals } from "../catalog/orphaned.ts";
import type { PreparedChange } from "../prepared.ts";

const batchesBetweenChecks = 16;

/**
 * Rejects imports once the archive exceeds its size, because imports never expire. Errors:
 * `archive_full`.
 */
export function createImportBound(
  folder: string,
  maxBytes: number,
): (batch: { changes: readonly PreparedChange[] }) => void {
  let imports = 0;
  return ({ changes }) => {
    if (!changes.some((change) => change.kind === "upsert" && change.imported)) return;
    imports += 1;
    if (imports % batchesBetweenChecks !== 1) return;
    const bytes = archiveBytes(folder) - orphanedTotals(folder).bytes;
    if (bytes < maxBytes) return;
    throw new EarshotError(
      "archive_full",
      `the archive has ${bytes} bytes, and imports are refused above ${maxBytes}`,
      { status: 507, hint: "raise EARSHOT_ARCHIVE_MAX_BYTES, or import less" },
    );
  };
}
