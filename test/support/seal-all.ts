import { readSegments } from "../../src/archive/catalog.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";
import { upkeepContext } from "../../src/archive/upkeep/context.ts";
import { removeRetired } from "../../src/archive/upkeep/retire.ts";
import { sealSegment } from "../../src/archive/upkeep/seal-segment.ts";
import { runSteps } from "../../src/archive/upkeep/steps.ts";

/** Seals every segment of an archive's folder, whatever it holds, and removes the files that it had before. */
export function sealAll(folder: string): void {
  const clock = { now: () => 1 };
  const context = upkeepContext(folder, archiveDefaults, clock);
  try {
    for (const entry of readSegments(context.catalog)) runSteps(sealSegment(context, entry));
    runSteps(removeRetired(context, clock.now()));
  } finally {
    context.catalog.close();
  }
}
