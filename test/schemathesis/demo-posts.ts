import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCorpus } from "../../src/cli/demo/corpus.ts";

/** Writes the demo posts as import files, one per platform. */
const folder = String(process.argv[2]);
for (const [platform, records] of makeCorpus(Date.now())) {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, `${platform}.ndjson`), lines.join(""));
}
