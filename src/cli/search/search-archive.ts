import { withArchive } from "../archive/with-archive.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readTree } from "./read-tree.ts";
import type { SearchInput } from "./search-input.ts";

/** Errors: `invalid_query`, `no_archive`, `deadline_exceeded`, and those of the archive. */
export async function searchLocally(input: SearchInput, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  const tree = readTree(input.query, terminal);
  requireDataDir(config);
  await withArchive(config, async (archive) => {
    // A reader verifies the catalog while the search loads; later calls report its errors.
    archive.verified().catch(() => undefined);
    const { searchAndPrint } = await import("./search-and-print.ts");
    await searchAndPrint(archive, config, { ...input, tree }, terminal);
  });
}
