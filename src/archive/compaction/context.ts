import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../lib/clock.ts";
import { lookupHash } from "../../posts/ids.ts";
import { readUriKey } from "../catalog/catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import type { ArchiveBounds } from "../settings.ts";

export type CompactionContext = {
  folder: string;
  catalog: DatabaseSync;
  clock: Pick<Clock, "now">;
  bounds: ArchiveBounds;
  hashUri(uri: string): bigint;
};

/** The caller must close `catalog`. Errors: those of `openCatalog`. */
export function compactionContext(
  folder: string,
  bounds: ArchiveBounds,
  clock: Pick<Clock, "now">,
): CompactionContext {
  const catalog = openCatalog(folder);
  const uriKey = readUriKey(catalog);
  return { folder, catalog, clock, bounds, hashUri: (uri) => lookupHash(uriKey, uri) };
}
