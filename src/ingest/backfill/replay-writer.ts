import type { CountMetric } from "@earshot/query/tree";
import type { Archive, ArchiveChange, Collection } from "../../archive/archive.ts";
import { type BoundedSpan, includesTime } from "../../lib/spans.ts";
import type { StreamEvent } from "../../platforms/bluesky/stream-event.ts";
import { createRecentKeys } from "../streams/recent-keys.ts";

export type MissingCoverage = { collection: Collection; spans: readonly BoundedSpan[] };

/**
 * Each batch also claims coverage up to its last event, where a later run resumes. Events in a
 * batch's last millisecond, which is not yet covered, wait for the next batch. Events that only
 * change counts apply only to times not covered for their collection; others have already been
 * counted. A new post's counts stay unknown, because reactions after the span have been dropped.
 */
export type ReplayWriter = {
  begin(fromMs: number, disorderMs: number): void;
  add(atMs: number, event: StreamEvent): Promise<void> | undefined;
  flush(reachedMs: number): Promise<void>;
  end(toMs: number): Promise<void>;
  tally(): Readonly<ReplayTally>;
};

export type ReplayTally = {
  events: number;
  posts: number;
  deletes: number;
  reactions: number;
  added: number;
};

const maxBatchEvents = 2_000;
const maxRecentKeys = 100_000;

const metricCollections: Readonly<Record<CountMetric, Collection>> = {
  likes: "likes",
  reposts: "reposts",
  replies: "posts",
  quotes: "posts",
};

export function createReplayWriter(
  archive: Pick<Archive, "write">,
  missingCoverage: readonly MissingCoverage[],
  random: () => number,
): ReplayWriter {
  const tally = { events: 0, posts: 0, deletes: 0, reactions: 0, added: 0 };
  const recentKeys = createRecentKeys(maxRecentKeys, random);
  let changes: ArchiveChange[] = [];
  let counts = new Map<string, ArchiveChange & { kind: "count" }>();
  let pendingEvents = 0;
  let claim = { fromMs: 0, disorderMs: 0 };
  let latestEvents: { atMs: number; events: StreamEvent[] } = { atMs: 0, events: [] };

  const isUncounted = (metric: CountMetric, atMs: number): boolean =>
    missingCoverage.some(
      ({ collection, spans }) =>
        collection === metricCollections[metric] && includesTime(spans, atMs),
    );

  function add(atMs: number, event: StreamEvent): Promise<void> | undefined {
    if (!recentKeys.add(event.key)) return undefined;
    tally.events += 1;
    if (atMs < latestEvents.atMs) {
      fold(atMs, event);
    } else {
      if (atMs > latestEvents.atMs) foldLatest(atMs);
      latestEvents.events.push(event);
    }
    return pendingEvents >= maxBatchEvents ? flush(atMs) : undefined;
  }

  function foldLatest(nextMs: number): void {
    for (const event of latestEvents.events) fold(latestEvents.atMs, event);
    latestEvents = { atMs: nextMs, events: [] };
  }

  function fold(atMs: number, event: StreamEvent): void {
    pendingEvents += 1;
    if (event.change !== null) addChange(event.change);
    for (const { uri, metric } of event.counted) {
      if (!isUncounted(metric, atMs)) continue;
      tally.reactions += 1;
      const key = `${metric} ${uri}`;
      const counted = counts.get(key);
      if (counted !== undefined) counted.increment += 1;
      else counts.set(key, { kind: "count", platform: "bluesky", uri, metric, increment: 1 });
    }
  }

  function addChange(change: ArchiveChange): void {
    if (change.kind === "delete") tally.deletes += 1;
    if (change.kind !== "upsert") {
      changes.push(change);
      return;
    }
    tally.posts += 1;
    const unknownCounts = { likes: null, reposts: null, replies: null, quotes: null };
    changes.push({ ...change, post: { ...change.post, counts: unknownCounts } });
  }

  async function flush(reachedMs: number): Promise<void> {
    if (reachedMs > latestEvents.atMs) foldLatest(reachedMs);
    await write(reachedMs - claim.disorderMs);
  }

  async function end(toMs: number): Promise<void> {
    foldLatest(toMs);
    await write(toMs);
  }

  async function write(toMs: number): Promise<void> {
    const { fromMs } = claim;
    const span = {
      platform: "bluesky",
      account: null,
      source: "jetstream",
      fromMs,
      toMs,
    } as const;
    const coverage =
      fromMs < toMs ? missingCoverage.map(({ collection }) => ({ ...span, collection })) : [];
    const batch = { changes: [...changes, ...counts.values()], coverage };
    changes = [];
    counts = new Map();
    pendingEvents = 0;
    if (batch.changes.length === 0 && coverage.length === 0) return;
    const report = await archive.write(batch);
    tally.added += report.inserted;
  }

  return {
    begin: (fromMs, disorderMs) => {
      claim = { fromMs, disorderMs };
    },
    add,
    flush,
    end,
    tally: () => tally,
  };
}
