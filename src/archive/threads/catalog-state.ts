import type { DatabaseSync } from "node:sqlite";
import type { PlatformCoverage } from "../archive.ts";
import { readAllAccountCoverage, readSegments, type SegmentEntry } from "../catalog/catalog.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { withSnapshot } from "../database.ts";

export type CatalogState = {
  /** SQLite's `data_version`. */
  version: unknown;
  segments: SegmentEntry[];
  coverage: PlatformCoverage[];
};

/**
 * Caches the state, and reads it again once another connection has committed to the catalog. Calls
 * `onChange` after each read. Errors: `newer_schema` for segments of an unknown analyzer.
 */
export function catalogStateReader(
  catalog: DatabaseSync,
  folder: string,
  onChange: (segments: readonly SegmentEntry[]) => void,
): () => CatalogState {
  const selectDataVersion = catalog.prepare("PRAGMA data_version");
  let cached: CatalogState | null = null;

  return () => {
    const version = selectDataVersion.get()?.data_version;
    if (cached === null || cached.version !== version) {
      // One snapshot: coverage must not be newer than the segments.
      cached = withSnapshot(catalog, () => {
        const segments = readSegments(catalog);
        requireKnownAnalyzers(segments, folder);
        return { version, segments, coverage: readAllAccountCoverage(catalog) };
      });
      onChange(cached.segments);
    }
    return cached;
  };
}
