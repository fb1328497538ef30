import { statSync } from "node:fs";
import { presentAnalyzer, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { overlayPosts, type SealedState, sealedState } from "../sealed/sealed-state.ts";
import { isMarkedDamaged } from "../segments/damage-marker.ts";
import type { CompactionContext } from "./context.ts";
import { lastWrittenMs, walBytes } from "./files.ts";
import { isUnreadable } from "./unreadable-index.ts";

/** How a segment stands to being sealed. */
type SealStanding = {
  posts: number;
  /** Why it may not be sealed whoever wants it; null where it may. */
  obstacle: SealObstacle | null;
  /** Whether that is worth its cost, for the first time or anew. */
  isWorthwhile: boolean;
  /** Whether it is time for it, too. */
  isDue: boolean;
  /** Whether it has to be made anew from its rows: it is marked as damaged, sealed in another format, or sealed though none is to be. */
  isUnfit: boolean;
};

/**
 * `off`: no segment is to be sealed. `empty`: it holds no posts. `outdated`: another analyzer made its terms. `damaged`: its sealed
 * index is. `unreadable`: its FTS5 index could not be read when that was tried.
 */
export type SealObstacle = "off" | "empty" | "outdated" | "damaged" | "unreadable";

/**
 * Watches when segments may be sealed: once no post has arrived for a while, whatever likes and labels still trickle in; and
 * again from time to time, once much was written to them.
 */
export type SealWatch = {
  /** Looks at these segments, and forgets others; reads only the files that were written to since. */
  look(entries: readonly SegmentEntry[]): void;
  /** How one of those that were looked at stands. */
  standingOf(entry: SegmentEntry): SealStanding;
};

type Facts = {
  posts: number;
  sealed: SealedState | null;
  /** Whether too many posts were written since it was sealed. */
  isOverlaid: boolean;
  /** The number of the newest arrival; 0 where none is remembered. */
  arrival: number;
};

type Seen = Facts & {
  /** What the file looked like. */
  version: string;
  /** No post has arrived since then, Unix milliseconds. */
  sinceMs: number;
};

export function createSealWatch({
  folder,
  catalog,
  clock,
  bounds,
}: Pick<CompactionContext, "folder" | "catalog" | "clock" | "bounds">): SealWatch {
  let seen = new Map<string, Seen>();

  function see(path: string): Seen {
    const before = seen.get(path);
    const version = versionOf(path);
    if (before?.version === version) return before;
    const facts = readableFacts(path, bounds.resealPercent);
    const hasArrived = before === undefined || facts.arrival > before.arrival;
    return {
      ...facts,
      // Arrivals that are forgotten have been all the same.
      arrival: Math.max(facts.arrival, before?.arrival ?? 0),
      version,
      // Nothing arrives without a write: a file that is quiet tells it after a restart too.
      sinceMs: hasArrived ? lastWrittenMs(path) : before.sinceMs,
    };
  }

  function isTime({ sealed, sinceMs }: Seen): boolean {
    const [fromMs, waitMs] =
      sealed === null ? [sinceMs, bounds.sealAfterMs] : [sealed.sealedMs, bounds.resealEveryMs];
    return clock.now() - fromMs >= waitMs;
  }

  function obstacleOf(entry: SegmentEntry, posts: number, isDamaged: boolean): SealObstacle | null {
    if (bounds.seal === "off") return "off";
    if (posts === 0) return "empty";
    if (entry.analyzer !== presentAnalyzer) return "outdated";
    if (isDamaged) return "damaged";
    return isUnreadable(catalog, entry) ? "unreadable" : null;
  }

  return {
    look(entries) {
      const paths = entries.map((entry) => segmentPath(folder, entry));
      seen = new Map(paths.map((path) => [path, see(path)]));
    },
    standingOf(entry) {
      const path = segmentPath(folder, entry);
      const facts = seen.get(path);
      if (facts === undefined) throw new Error(`${path} was not looked at`);
      const { posts, sealed, isOverlaid } = facts;
      const isDamaged = isMarkedDamaged(path) || sealed?.isReadable === false;
      const obstacle = obstacleOf(entry, posts, isDamaged);
      // An index without checksums is made anew at once.
      const isOld = obstacle === null && sealed?.isSummed === false;
      const isWorthwhile =
        isOld ||
        (obstacle === null && posts >= bounds.sealPosts && (sealed === null || isOverlaid));
      return {
        posts,
        obstacle,
        isWorthwhile,
        isDue: isOld || (isWorthwhile && isTime(facts)),
        isUnfit: isDamaged || (sealed !== null && bounds.seal === "off"),
      };
    },
  };
}

const versionOf = (path: string): string =>
  `${lastWrittenMs(path)} ${statSync(path).size} ${walBytes(path)}`;

/** A damaged segment counts as empty: it is left as it is until a rewrite is requested. */
function readableFacts(path: string, resealPercent: number): Facts {
  try {
    return readFacts(path, resealPercent);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { posts: 0, sealed: null, isOverlaid: false, arrival: 0 };
  }
}

function readFacts(path: string, resealPercent: number): Facts {
  const segment = openForReading(path, 1_000);
  try {
    const numberIn = (query: string): number => Number(segment.prepare(query).get()?.value ?? 0);
    const posts = numberIn("SELECT value FROM setting WHERE name = 'posts'");
    const sealed = sealedState(segment);
    const most = Math.floor((posts * resealPercent) / 100);
    return {
      posts,
      sealed,
      isOverlaid: sealed !== null && overlayPosts(segment, most + 1) > most,
      arrival: numberIn("SELECT max(number) AS value FROM arrival"),
    };
  } finally {
    segment.close();
  }
}
