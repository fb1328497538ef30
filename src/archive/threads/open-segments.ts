import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";
import type { PlatformCoverage } from "../archive.ts";
import {
  readAllAccountCoverage,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { withSnapshot } from "../database.ts";
import { cacheKibPerSegment } from "../memory-shares.ts";
import { isDamage } from "../sealed/damage.ts";
import type { SealedCaches } from "../segments/sealed-index-reader.ts";
import { openSegment, type Segment } from "../segments/segment.ts";

export type OpenSegments = {
  open(entry: SegmentEntry): Segment;
  closeRemoved(segments: readonly SegmentEntry[]): void;
  closeAll(): void;
};

const maxOpenSegments = 64;

/**
 * Segments are opened on demand, and the least recently used ones are closed. All open segments
 * share `cacheKib`.
 */
export function openSegmentsIn(
  folder: string,
  cacheKib: number,
  caches: SealedCaches,
): OpenSegments {
  const openSegmentsByPath = new Map<string, Segment>();
  let segmentCacheKib = cacheKibPerSegment(cacheKib, 1);

  /** A damaged file must not prevent searches of the other segments. */
  function openReadable(path: string, platform: Platform): Segment {
    try {
      return openSegment(path, platform, segmentCacheKib, caches);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return unreadableSegment(path);
    }
  }

  function shareCache(): void {
    const kib = cacheKibPerSegment(cacheKib, openSegmentsByPath.size);
    if (kib === segmentCacheKib) return;
    segmentCacheKib = kib;
    for (const segment of openSegmentsByPath.values()) segment.resizeCache(kib);
  }

  return {
    open: (entry) => {
      const path = segmentPath(folder, entry);
      const cachedSegment = openSegmentsByPath.get(path);
      const segment = cachedSegment ?? openReadable(path, entry.platform);
      openSegmentsByPath.delete(path);
      openSegmentsByPath.set(path, segment);
      if (cachedSegment !== undefined) return segment;
      const [oldest] = openSegmentsByPath.keys();
      if (openSegmentsByPath.size > maxOpenSegments && oldest !== undefined) {
        openSegmentsByPath.get(oldest)?.close();
        openSegmentsByPath.delete(oldest);
      }
      shareCache();
      return segment;
    },
    closeRemoved: (segments) => {
      const listedPaths = new Set(segments.map((entry) => segmentPath(folder, entry)));
      for (const [path, segment] of openSegmentsByPath) {
        if (listedPaths.has(path)) continue;
        segment.close();
        openSegmentsByPath.delete(path);
      }
      shareCache();
    },
    closeAll: () => {
      for (const segment of openSegmentsByPath.values()) segment.close();
    },
  };
}

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
  let cachedState: CatalogState | null = null;

  return () => {
    const version = selectDataVersion.get()?.data_version;
    if (cachedState === null || cachedState.version !== version) {
      // One snapshot: coverage must not be newer than the segments.
      cachedState = withSnapshot(catalog, () => {
        const segments = readSegments(catalog);
        requireKnownAnalyzers(segments, folder);
        return { version, segments, coverage: readAllAccountCoverage(catalog) };
      });
      onChange(cachedState.segments);
    }
    return cachedState;
  };
}

/**
 * A segment whose searches, counts and rows report damage; lookups and `ingestOrder` throw
 * `archive_damaged`.
 */
function unreadableSegment(path: string): Segment {
  const refuse = (): never => {
    throw new EarshotError("archive_damaged", `${path} cannot be read`, {
      status: 503,
      hint: "find the repair command with earshot archive check",
    });
  };
  return {
    search: (_query, range) => ({
      ids: [],
      stoppedAt: null,
      candidates: 0,
      rechecked: 0,
      containers: 0,
      termReads: 0,
      statements: 0,
      damaged: [range],
    }),
    rows: (ids) => ({ rows: [], damaged: [...ids] }),
    counter: {
      withSnapshot: (work) => work(0),
      count: (_query, range) => ({
        counts: new Map(),
        countedFromMs: null,
        stoppedAt: null,
        damaged: [range],
        statements: 1,
        containers: 0,
      }),
    },
    lookup: {
      has: refuse,
      lowestId: refuse,
      highestId: refuse,
      findById: refuse,
      findByUri: refuse,
    },
    ingestOrder: refuse,
    verify: () => [].values(),
    resizeCache: () => {},
    close: () => {},
  };
}
