import { readSegments } from "../../src/archive/catalog/catalog.ts";
import { compactionContext } from "../../src/archive/compaction/context.ts";
import { removeRetiredFiles } from "../../src/archive/compaction/retire.ts";
import { sealSegment } from "../../src/archive/compaction/seal-segment.ts";
import { runSteps } from "../../src/archive/compaction/steps.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";

/** Removes the previous files. */
export function sealAll(folder: string): void {
  const clock = { now: () => 1 };
  const context = compactionContext(folder, archiveDefaults, clock);
  try {
    for (const entry of readSegments(context.catalog)) runSteps(sealSegment(context, entry));
    runSteps(removeRetiredFiles(context, clock.now()));
  } finally {
    context.catalog.close();
  }
}
