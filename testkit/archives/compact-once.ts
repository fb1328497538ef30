import { createCompaction } from "../../src/archive/compaction/compaction.ts";
import { compactionContext } from "../../src/archive/compaction/context.ts";
import { runSteps } from "../../src/archive/compaction/steps.ts";
import { archiveDefaults } from "../../src/archive/settings.ts";

const context = compactionContext(String(process.argv[2]), archiveDefaults, { now: Date.now });
const compaction = createCompaction(context);
while (runSteps(compaction.runNext()));
console.log(JSON.stringify(compaction.state()));
context.catalog.close();
