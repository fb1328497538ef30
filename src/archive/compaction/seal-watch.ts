import { statSync } from "node:fs";
import { currentAnalyzer, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { countDeltaPosts, type SealedState, sealedState } from "../sealed/sealed-state.ts";
import { isMarkedDamaged } from "../segments/integrity.ts";
import type { CompactionContext } from "./context.ts";
import { lastWrittenMs, walBytes } from "./files.ts";
import { isUnreadable } from "./unreadable-index.ts";

type SealState = {
  posts: number;
  /** Prevents sealing, even on request. */
  obstacle: SealObstacle | null;
  isWorthwhile: boolean;
  isDue: boolean;
  /** True if damaged, in another format, or sealed although sealing is off. */
  mustRebuild: boolean;
};

export type SealObstacle = "off" | "empty" | "outdated" | "damaged" | "unreadable";

/**
 * A segment is sealed once no posts have been ingested for a while, regardless of likes and labels,
 * and is resealed after many writes.
 */
export type SealWatch = {
  /** Reads only files written since the last call. Forgets segments not in `entries`. */
  update(entries: readonly SegmentEntry[]): void;
  sealState(entry: SegmentEntry): SealState;
};

type Facts = {
  posts: number;
  sealed: SealedState | null;
  hasLargeDelta: boolean;
  ingestNumber: number;
};

type Observation = Facts & {
  version: string;
  /** No post has been ingested since this time, Unix milliseconds. */
  sinceMs: number;
};

export function createSealWatch({
  folder,
  catalog,
  clock,
  bounds,
}: Pick<CompactionContext, "folder" | "catalog" | "clock" | "bounds">): SealWatch {
  let observations = new Map<string, Observation>();

  function observe(path: string): Observation {
    const previous = observations.get(path);
    const version = versionOf(path);
    if (previous?.version === version) return previous;
    const facts = readableFacts(path, bounds.resealPercent);
    const hasNewPosts = previous === undefined || facts.ingestNumber > previous.ingestNumber;
    return {
      ...facts,
      // Dropped ingest numbers still count.
      ingestNumber: Math.max(facts.ingestNumber, previous?.ingestNumber ?? 0),
      version,
      // The modification time is preserved across restarts.
      sinceMs: hasNewPosts ? lastWrittenMs(path) : previous.sinceMs,
    };
  }

  function isOldEnough({ sealed, sinceMs }: Observation): boolean {
    const [fromMs, waitMs] =
      sealed === null ? [sinceMs, bounds.sealAfterMs] : [sealed.sealedMs, bounds.resealEveryMs];
    return clock.now() - fromMs >= waitMs;
  }

  function entryObstacle(
    entry: SegmentEntry,
    posts: number,
    isDamaged: boolean,
  ): SealObstacle | null {
    if (bounds.seal === "off") return "off";
    if (posts === 0) return "empty";
    if (entry.analyzer !== currentAnalyzer) return "outdated";
    if (isDamaged) return "damaged";
    return isUnreadable(catalog, entry) ? "unreadable" : null;
  }

  return {
    update(entries) {
      const paths = entries.map((entry) => segmentPath(folder, entry));
      observations = new Map(paths.map((path) => [path, observe(path)]));
    },
    sealState(entry) {
      const path = segmentPath(folder, entry);
      const facts = observations.get(path);
      if (facts === undefined) throw new Error(`${path} has not been examined`);
      const { posts, sealed, hasLargeDelta } = facts;
      const isDamaged = isMarkedDamaged(path) || sealed?.isReadable === false;
      const obstacle = entryObstacle(entry, posts, isDamaged);
      // A sealed segment without checksums is resealed immediately.
      const isOld = obstacle === null && sealed?.hasChecksums === false;
      const isWorthwhile =
        isOld ||
        (obstacle === null && posts >= bounds.sealPosts && (sealed === null || hasLargeDelta));
      return {
        posts,
        obstacle,
        isWorthwhile,
        isDue: isOld || (isWorthwhile && isOldEnough(facts)),
        mustRebuild: isDamaged || (sealed !== null && bounds.seal === "off"),
      };
    },
  };
}

const versionOf = (path: string): string =>
  `${lastWrittenMs(path)} ${statSync(path).size} ${walBytes(path)}`;

/** A damaged segment counts as empty, because it is rewritten only on request. */
function readableFacts(path: string, resealPercent: number): Facts {
  try {
    return readFacts(path, resealPercent);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { posts: 0, sealed: null, hasLargeDelta: false, ingestNumber: 0 };
  }
}

function readFacts(path: string, resealPercent: number): Facts {
  const segment = openForReading(path, 1_000);
  try {
    const numberIn = (query: string): number => Number(segment.prepare(query).get()?.value ?? 0);
    const posts = numberIn("SELECT value FROM setting WHERE name = 'posts'");
    const sealed = sealedState(segment);
    const max = Math.floor((posts * resealPercent) / 100);
    return {
      posts,
      sealed,
      hasLargeDelta: sealed !== null && countDeltaPosts(segment, max + 1) > max,
      ingestNumber: numberIn("SELECT max(number) AS value FROM ingest_order"),
    };
  } finally {
    segment.close();
  }
}
