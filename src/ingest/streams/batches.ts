import type { ArchiveChange, Collection, CoverageInterval } from "../../archive/archive.ts";
import type { CountedPost } from "../../platforms/bluesky/reactions.ts";
import type { Platform } from "../../posts/post.ts";

export type StreamItem = {
  /** The source's time, Unix microseconds. */
  timeUs: number;
  changes: readonly ArchiveChange[];
  counted: readonly CountedPost[];
};

export type StreamBatch<Position> = {
  changes: ArchiveChange[];
  counts: Map<string, CountChange>;
  events: number;
  position: Position;
  spans: { fromMs: number; toMs: number }[];
  firstMs: number;
  firstChangeMs: number | null;
};

type CountChange = Extract<ArchiveChange, { kind: "count" }>;

/**
 * FIFO. Events are merged into their batch: a million likes of one post take the space of one
 * number.
 */
export type StreamBatches<Position> = {
  /** `followsGap`: events may be missing before this one. */
  add(item: StreamItem, position: Position, followsGap: boolean, nowMs: number): void;
  first(): StreamBatch<Position> | null;
  isFull(batch: StreamBatch<Position>): boolean;
  close(): void;
  shift(): void;
  events(): number;
};

export type StreamBatchesOptions<Position> = {
  batchEvents: number;
  saved: Position | null;
  savedMs: number | null;
  isLater(position: Position, than: Position): boolean;
};

export function createStreamBatches<Position extends object>(
  options: StreamBatchesOptions<Position>,
): StreamBatches<Position> {
  const batches: StreamBatch<Position>[] = [];
  let open: StreamBatch<Position> | null = null;
  let events = 0;
  let latest = options.saved;
  let storedToMs = options.savedMs;

  function add(item: StreamItem, position: Position, followsGap: boolean, nowMs: number): void {
    const reached = latest === null || options.isLater(position, latest) ? position : latest;
    latest = reached;
    if (open === null || isFull(open)) {
      open = emptyBatch(reached, nowMs);
      batches.push(open);
    }
    open.position = reached;
    const weight = Math.max(1, item.changes.length);
    open.events += weight;
    events += weight;
    extendSpans(open, Math.floor(item.timeUs / 1000), followsGap);
    for (const counted of item.counted) addCount(open.counts, counted);
    if (item.changes.length === 0) return;
    open.changes.push(...item.changes);
    open.firstChangeMs ??= nowMs;
  }

  function extendSpans(batch: StreamBatch<Position>, timeMs: number, followsGap: boolean): void {
    const fromMs = followsGap || storedToMs === null ? timeMs : storedToMs;
    let span = batch.spans.at(-1);
    if (span === undefined || followsGap) {
      span = { fromMs, toMs: fromMs };
      batch.spans.push(span);
    }
    span.toMs = Math.max(span.toMs, timeMs);
    storedToMs = span.toMs;
  }

  const isFull = (batch: StreamBatch<Position>): boolean => batch.events >= options.batchEvents;

  return {
    add,
    first: () => batches[0] ?? null,
    isFull,
    close: () => {
      if (open === batches[0]) open = null;
    },
    shift: () => {
      events -= batches.shift()?.events ?? 0;
    },
    events: () => events,
  };
}

export function changesOf(batch: StreamBatch<unknown>): readonly ArchiveChange[] {
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

const emptyBatch = <Position>(position: Position, nowMs: number): StreamBatch<Position> => ({
  changes: [],
  counts: new Map(),
  events: 0,
  position,
  spans: [],
  firstMs: nowMs,
  firstChangeMs: null,
});

function addCount(counts: Map<string, CountChange>, { uri, metric }: CountedPost): void {
  const key = `${metric} ${uri}`;
  const counted = counts.get(key);
  if (counted !== undefined) counted.by += 1;
  else counts.set(key, { kind: "count", platform: "bluesky", uri, metric, by: 1 });
}
