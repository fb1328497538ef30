import { join } from "node:path";
import type { Archive } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Config } from "../../server/config.ts";

export const archiveFolder = (config: Config): string => join(config.data.dir, "archive");

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
