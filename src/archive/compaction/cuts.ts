import { idTimeMs, lowestId, nextMillisecondId } from "../../posts/ids.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { idsInOrder } from "./ids-in-order.ts";

/**
 * The first ID of each part except the first. Parts are about equal, at most about `splitPosts`. No
 * cut splits a millisecond.
 */
export function findSplitIds(folder: string, entry: SegmentEntry, splitPosts: number): bigint[] {
  const path = segmentPath(folder, entry);
  const segment = openForReading(path, 2_000);
  try {
    const posts = Number(segment.prepare(postsSql).get()?.value);
    const parts = Math.ceil(posts / splitPosts);
    const nth = idsInOrder(segment, path);
    const selectEnds = segment.prepare("SELECT min(id) AS low, max(id) AS high FROM post");
    selectEnds.setReadBigInts(true);
    const { low, high } = selectEnds.get() as { low: bigint | null; high: bigint | null };
    if (low === null || high === null) return [];
    const cuts = new Set<bigint>();
    for (let part = 1; part < parts; part += 1) {
      const id = nth(Math.round((posts * part) / parts));
      if (id === null) continue;
      const first = lowestId(idTimeMs(id));
      const cut = first > low ? first : nextMillisecondId(id);
      if (cut > low && cut <= high) cuts.add(cut);
    }
    return [...cuts].sort((a, b) => (a < b ? -1 : 1));
  } finally {
    segment.close();
  }
}

const postsSql = "SELECT value FROM setting WHERE name = 'posts'";
