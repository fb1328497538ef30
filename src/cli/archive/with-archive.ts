import { join } from "node:path";
import type { Archive } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Config } from "../../server/config.ts";

/** The folder of the data folder's archive. */
export const archiveFolder = (config: Config): string => join(config.data.dir, "archive");

/** Opens the archive for one use, and closes it whatever happens. */
export async function withArchive<Value>(
  config: Config,
  use: (archive: Archive) => Promise<Value>,
): Promise<Value> {
  const { dir, ...settings } = config.data;
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  try {
    return await use(archive);
  } finally {
    await archive.close();
  }
}
