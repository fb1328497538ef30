import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { OpenArchive } from "../archive/threads/open.ts";
import type { Clock } from "../lib/clock.ts";
import { packageRoot } from "../lib/package-root.ts";
import type { Config } from "./config.ts";

type SampleContext = {
  archive: OpenArchive;
  clock: Clock;
  config: Pick<Config, "data" | "import">;
};

/** X is excluded: sample handles could be those of real accounts there. */
const samplePlatforms = ["bluesky", "mastodon"] as const;

/** Repeated calls change nothing. Returns the number of new posts. */
export function createSampleLoader({
  archive,
  clock,
  config,
}: SampleContext): () => Promise<number> {
  return async () => {
    // Loaded on demand: samples are rarely imported.
    const { importFile } = await import("../ingest/import/import-file.ts");
    const { startImportThreads } = await import("../ingest/analysis/import-threads.ts");
    const analysis = startImportThreads(archive.preparation, 1);
    let importedCount = 0;
    try {
      for (const platform of samplePlatforms) {
        const summary = await importFile({
          archive,
          analysis,
          clock,
          platform,
          file: fileURLToPath(new URL(`samples/${platform}.ndjson.gz`, packageRoot)),
          standardInput: Readable.from([]),
          dataDir: config.data.dir,
          covers: null,
          onBadLine: "stop",
          limits: config.import,
        });
        importedCount += summary.imported;
      }
      await archive.finishImport();
    } finally {
      await analysis.close();
    }
    return importedCount;
  };
}
