import type { DatabaseSync } from "node:sqlite";
import type { PlatformCoverage } from "../archive.ts";
import { readCoverageOfAll, readSegments, type SegmentEntry } from "../catalog/catalog.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { onSnapshot } from "../database.ts";

export type CatalogState = {
  version: unknown;
  segments: SegmentEntry[];
  coverage: PlatformCoverage[];
};

/** The state is read again after any process has changed the catalog; `onChange` gets the segments read. */
export function currentCatalog(
  catalog: DatabaseSync,
  folder: string,
  onChange: (segments: readonly SegmentEntry[]) => void,
): () => CatalogState {
  const version = catalog.prepare("PRAGMA data_version");
  let known: CatalogState | null = null;

  return () => {
    const now = version.get()?.data_version;
    if (known === null || known.version !== now) {
      // One snapshot: coverage must not be newer than the segments.
      known = onSnapshot(catalog, () => {
        const segments = readSegments(catalog);
        requireKnownAnalyzers(segments, folder);
        return { version: now, segments, coverage: readCoverageOfAll(catalog) };
      });
      onChange(known.segments);
    }
    return known;
  };
}
