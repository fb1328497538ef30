import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { makeCorpus } from "./corpus.ts";

/** Fixed, so that the files change only with the corpus. */
const newestMs = Date.UTC(2025, 11, 31, 12) - 500;

export function sampleFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [platform, records] of makeCorpus(newestMs)) {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    files.set(`${platform}.ndjson.gz`, lines.join(""));
  }
  return files;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const folder = join(import.meta.dirname, "../../../samples");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of sampleFiles()) {
    writeFileSync(join(folder, name), gzipSync(text, { level: 9 }));
  }
}
