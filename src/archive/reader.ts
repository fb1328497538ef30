import type { Platform } from "../posts/post.ts";
import { type RecordRow, renderRecord } from "../posts/record.ts";
import type { CoveredAnswer, PlatformCoverage, Position, SearchRequest } from "./archive.ts";
import {
  catalogPath,
  presentHandle,
  readCheckpoint,
  readCoverage,
  readSegments,
  resolveAccount,
  type SegmentEntry,
  segmentPath,
} from "./catalog.ts";
import { onSnapshot, openForReading } from "./database.ts";
import { comparePositions, searchSegments } from "./search.ts";
import { openSegment, type Segment } from "./segments/segment.ts";

/** How many segments a reader keeps open; the one used longest ago is closed for a new one. */
const openSegments = 64;

export type ReaderOperations = {
  search(request: SearchRequest): CoveredAnswer;
  records(positions: readonly Position[]): string[];
  resolveAccounts(names: readonly string[]): [string, string[]][];
  readCheckpoint(name: string): string | null;
  coverage(): PlatformCoverage[];
};

export type Reader = { operations: ReaderOperations; close(): void };

/** Everything that is read of an archive, in the thread that calls it. Each call sees the last commit. */
export function createReader(folder: string, cacheKib: number, nowMs: () => number): Reader {
  const catalog = openForReading(catalogPath(folder), 1_000);
  const version = catalog.prepare("PRAGMA data_version");
  const opened = new Map<string, Segment>();
  let known: { version: unknown; segments: SegmentEntry[]; held: PlatformCoverage[] } | null = null;

  /** Segments and coverage, read anew when any process has changed the catalog. */
  function current(): { segments: SegmentEntry[]; held: PlatformCoverage[] } {
    const now = version.get()?.data_version;
    if (known === null || known.version !== now) {
      // Coverage must not be newer than the segments that hold what it promises.
      known = onSnapshot(catalog, () => ({
        version: now,
        segments: readSegments(catalog),
        held: readCoverage(catalog),
      }));
    }
    return known;
  }

  function open(entry: SegmentEntry): Segment {
    const path = segmentPath(folder, entry);
    const segment = opened.get(path) ?? openSegment(path, entry.platform, cacheKib);
    opened.delete(path);
    opened.set(path, segment);
    if (opened.size > openSegments) {
      const [oldest] = opened.keys();
      if (oldest !== undefined) {
        opened.get(oldest)?.close();
        opened.delete(oldest);
      }
    }
    return segment;
  }

  function records(positions: readonly Position[]): string[] {
    const rows = rowsOf(positions);
    const handles = new Map<string, string | null>();
    const handleOf = (platform: Platform, userId: string): string | null => {
      const key = `${platform} ${userId}`;
      const known = handles.get(key);
      if (known !== undefined) return known;
      const handle = presentHandle(catalog, platform, userId.toLowerCase());
      handles.set(key, handle);
      return handle;
    };
    return rows.map((row) => renderRecord(row, (userId) => handleOf(row.platform, userId)));
  }

  /** One statement for each segment that any of the posts lies in; what is gone is left out. */
  function rowsOf(positions: readonly Position[]): RecordRow[] {
    const { segments } = current();
    const bySegment = Map.groupBy(positions, ({ id, platform }) =>
      segments.findLast((entry) => entry.platform === platform && entry.low <= id),
    );
    const rows: RecordRow[] = [];
    for (const [entry, own] of bySegment) {
      if (entry !== undefined) rows.push(...open(entry).rows(own.map(({ id }) => id)));
    }
    return bySegment.size > 1 ? rows.sort(comparePositions) : rows;
  }

  return {
    operations: {
      search: (request) => {
        const { segments, held } = current();
        return { ...searchSegments(request, segments, open, nowMs), held };
      },
      records,
      resolveAccounts: (names) => names.map((name) => [name, resolveAccount(catalog, name)]),
      readCheckpoint: (name) => readCheckpoint(catalog, name),
      coverage: () => current().held,
    },
    close: () => {
      for (const segment of opened.values()) segment.close();
      catalog.close();
    },
  };
}
