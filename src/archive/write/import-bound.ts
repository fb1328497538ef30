import { EarshotError } from "../../lib/errors.ts";
import { archiveBytes } from "../catalog/archive-bytes.ts";
import { orphanedTotals } from "../catalog/orphaned.ts";
import type { PreparedChange } from "../prepared.ts";

/** Batches between two looks at the size of the archive. */
const batchesBetweenLooks = 16;

/**
 * What refuses a batch of imported posts when the archive takes up its bytes: posts of a stream age out, what is imported is
 * kept, so that it must fit. Errors: `archive_full`.
 */
export function createImportBound(
  folder: string,
  maxBytes: number,
): (batch: { changes: readonly PreparedChange[] }) => void {
  let imports = 0;
  return ({ changes }) => {
    if (!changes.some((change) => change.kind === "upsert" && change.imported)) return;
    imports += 1;
    if (imports % batchesBetweenLooks !== 1) return;
    const bytes = archiveBytes(folder) - orphanedTotals(folder).bytes;
    if (bytes < maxBytes) return;
    throw new EarshotError(
      "archive_full",
      `the archive holds ${bytes} bytes, and imports end at ${maxBytes}`,
      { status: 507, hint: "raise EARSHOT_ARCHIVE_MAX_BYTES, or import less" },
    );
  };
}
