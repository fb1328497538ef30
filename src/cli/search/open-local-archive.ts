import { type OpenArchive, openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Config } from "../../server/config.ts";

/** Starts a reader, which verifies the catalog while the caller loads the search. */
export async function openLocalArchive({
  data: { dir, ...settings },
}: Config): Promise<OpenArchive> {
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  // Calls of the archive report its errors.
  archive.verified().catch(() => undefined);
  return archive;
}
