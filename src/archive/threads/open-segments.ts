import type { Platform } from "../../posts/post.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { cacheKibPerSegment } from "../memory-shares.ts";
import { isDamage } from "../sealed/damage.ts";
import type { SealedCaches } from "../segments/sealed-part.ts";
import { openSegment, type Segment } from "../segments/segment.ts";
import { unreadableSegment } from "../segments/unreadable-segment.ts";

export type OpenSegments = {
  open(entry: SegmentEntry): Segment;
  closeRemoved(segments: readonly SegmentEntry[]): void;
  closeAll(): void;
};

const maxOpen = 64;

/** Segments are opened on demand, and the least recently used are closed. All share `cacheKib`. */
export function openSegmentsIn(
  folder: string,
  cacheKib: number,
  caches: SealedCaches,
): OpenSegments {
  const opened = new Map<string, Segment>();
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
    const kib = cacheKibPerSegment(cacheKib, opened.size);
    if (kib === segmentCacheKib) return;
    segmentCacheKib = kib;
    for (const segment of opened.values()) segment.resizeCache(kib);
  }

  return {
    open: (entry) => {
      const path = segmentPath(folder, entry);
      const known = opened.get(path);
      const segment = known ?? openReadable(path, entry.platform);
      opened.delete(path);
      opened.set(path, segment);
      if (known !== undefined) return segment;
      const [oldest] = opened.keys();
      if (opened.size > maxOpen && oldest !== undefined) {
        opened.get(oldest)?.close();
        opened.delete(oldest);
      }
      shareCache();
      return segment;
    },
    closeRemoved: (segments) => {
      const listed = new Set(segments.map((entry) => segmentPath(folder, entry)));
      for (const [path, segment] of opened) {
        if (listed.has(path)) continue;
        segment.close();
        opened.delete(path);
      }
      shareCache();
    },
    closeAll: () => {
      for (const segment of opened.values()) segment.close();
    },
  };
}
