import type { ArchiveChange, Collection, CoverageInterval } from "../../archive/archive.ts";
import type { CountedPost } from "../../platforms/bluesky/reactions.ts";
import type { Platform } from "../../posts/post.ts";

export type StreamItem = {
  /** The source's time in Unix microseconds. */
  timeUs: number;
  changes: readonly ArchiveChange[];
  countIncrements: readonly CountedPost[];
};

export type StreamBatch<Position> = {
  changes: ArchiveChange[];
  counts: Map<string, CountChange>;
  events: number;
  position: Position;
  spans: { fromMs: number; toMs: number }[];
  firstElapsedMs: number;
  firstChangeElapsedMs: number | null;
};

type CountChange = Extract<ArchiveChange, { kind: "count" }>;

/**
 * A FIFO queue. Merges counts within a batch: many likes of one post take the space of one.
 */
export type StreamBatches<Position> = {
  /** `followsGap`: events may be missing before this one. */
  add(item: StreamItem, position: Position, followsGap: boolean, elapsedMs: number): void;
  first(): StreamBatch<Position> | null;
  isFull(batch: StreamBatch<Position>): boolean;
  closeFirst(): void;
  shift(): void;
  events(): number;
};

export type StreamBatchesOptions<Position> = {
  maxEventsPerBatch: number;
  savedPosition: Position | null;
  savedToMs: number | null;
  isLater(position: Position, reference: Position): boolean;
};

export function createStreamBatches<Position extends object>(
  options: StreamBatchesOptions<Position>,
): StreamBatches<Position> {
  const batches: StreamBatch<Position>[] = [];
  let openBatch: StreamBatch<Position> | null = null;
  let events = 0;
  let latestPosition = options.savedPosition;
  let coveredToMs = options.savedToMs;

  function add(item: StreamItem, position: Position, followsGap: boolean, elapsedMs: number): void {
    const reachedPosition =
      latestPosition === null || options.isLater(position, latestPosition)
        ? position
        : latestPosition;
    latestPosition = reachedPosition;
    if (openBatch === null || isFull(openBatch)) {
      openBatch = emptyBatch(reachedPosition, elapsedMs);
      batches.push(openBatch);
    }
    openBatch.position = reachedPosition;
    const weight = Math.max(1, item.changes.length);
    openBatch.events += weight;
    events += weight;
    extendSpans(openBatch, Math.floor(item.timeUs / 1000), followsGap);
    for (const increment of item.countIncrements) addCount(openBatch.counts, increment);
    if (item.changes.length === 0) return;
    openBatch.changes.push(...item.changes);
    openBatch.firstChangeElapsedMs ??= elapsedMs;
  }

  function extendSpans(batch: StreamBatch<Position>, timeMs: number, followsGap: boolean): void {
    const fromMs = followsGap || coveredToMs === null ? timeMs : coveredToMs;
    let span = batch.spans.at(-1);
    if (span === undefined || followsGap) {
      span = { fromMs, toMs: fromMs };
      batch.spans.push(span);
    }
    span.toMs = Math.max(span.toMs, timeMs);
    coveredToMs = span.toMs;
  }

  const isFull = (batch: StreamBatch<Position>): boolean =>
    batch.events >= options.maxEventsPerBatch;

  return {
    add,
    first: () => batches[0] ?? null,
    isFull,
    closeFirst: () => {
      if (openBatch === batches[0]) openBatch = null;
    },
    shift: () => {
      events -= batches.shift()?.events ?? 0;
    },
    events: () => events,
  };
}

export function batchChanges(batch: StreamBatch<unknown>): readonly ArchiveChange[] {
  return [...batch.changes, ...batch.counts.values()];
}

export function batchCoverage(
  { spans }: StreamBatch<unknown>,
  { platform, source, collections }: CoverageSource,
): readonly CoverageInterval[] {
  return spans
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .flatMap((span) =>
      collections.map((collection) => ({
        platform,
        collection,
        account: null,
        source,
        ...span,
      })),
    );
}

export type CoverageSource = {
  platform: Platform;
  source: string;
  collections: readonly Collection[];
};

const emptyBatch = <Position>(position: Position, elapsedMs: number): StreamBatch<Position> => ({
  changes: [],
  counts: new Map(),
  events: 0,
  position,
  spans: [],
  firstElapsedMs: elapsedMs,
  firstChangeElapsedMs: null,
});

function addCount(counts: Map<string, CountChange>, { uri, metric }: CountedPost): void {
  const key = `${metric} ${uri}`;
  const change = counts.get(key);
  if (change !== undefined) change.increment += 1;
  else counts.set(key, { kind: "count", platform: "bluesky", uri, metric, increment: 1 });
}
