import type { ArchiveChange, Collection, CoverageInterval } from "../../archive/archive.ts";
import type { CountedPost } from "../../platforms/bluesky/reactions.ts";
import type { Platform } from "../../posts/post.ts";

/** What an event of a stream brings to the archive. */
export type StreamItem = {
  /** The event's time by its source, Unix microseconds. */
  timeUs: number;
  changes: readonly ArchiveChange[];
  /** Posts that it adds one to. */
  counted: readonly CountedPost[];
};

/** Events that are written together. */
export type StreamBatch<Place> = {
  changes: ArchiveChange[];
  /** One for each post and metric, however many events of the batch add to it. */
  counts: Map<string, CountChange>;
  /** An event with several changes counts as many. */
  events: number;
  /** Where to resume once the batch is on disk. */
  place: Place;
  /** What is held completely with this batch; the first one goes on where the batch before it ended. */
  spans: { fromMs: number; toMs: number }[];
  /** By the clock's elapsed time: of the first event, and of the first that readers wait for. */
  firstMs: number;
  firstChangeMs: number | null;
};

type CountChange = Extract<ArchiveChange, { kind: "count" }>;

/**
 * Gathers the events of a stream into batches of at most `batchEvents`, first come first out. An event is folded into its
 * batch when it comes: a million likes of one post take the room of one number.
 */
export type StreamBatches<Place> = {
  /** `followsGap` says that something may be missing between all that came before and this event. */
  add(item: StreamItem, place: Place, followsGap: boolean, nowMs: number): void;
  /** The oldest batch; null when there is none. Events that come while it is being written go to a later one. */
  first(): StreamBatch<Place> | null;
  isFull(batch: StreamBatch<Place>): boolean;
  /** No more events go into the oldest batch. */
  close(): void;
  /** Forgets the oldest batch: it is written. */
  shift(): void;
  /** Events in all batches. */
  events(): number;
};

export type StreamBatchesOptions<Place> = {
  batchEvents: number;
  saved: Place | null;
  savedMs: number | null;
  isLater(place: Place, than: Place): boolean;
};

export function createStreamBatches<Place extends object>(
  options: StreamBatchesOptions<Place>,
): StreamBatches<Place> {
  const batches: StreamBatch<Place>[] = [];
  let open: StreamBatch<Place> | null = null;
  let events = 0;
  let latest = options.saved;
  let heldToMs = options.savedMs;

  function add(item: StreamItem, place: Place, followsGap: boolean, nowMs: number): void {
    const reached = latest === null || options.isLater(place, latest) ? place : latest;
    latest = reached;
    if (open === null || isFull(open)) {
      open = emptyBatch(reached, nowMs);
      batches.push(open);
    }
    open.place = reached;
    const weight = Math.max(1, item.changes.length);
    open.events += weight;
    events += weight;
    hold(open, Math.floor(item.timeUs / 1000), followsGap);
    for (const counted of item.counted) addCount(open.counts, counted);
    if (item.changes.length === 0) return;
    open.changes.push(...item.changes);
    open.firstChangeMs ??= nowMs;
  }

  function hold(batch: StreamBatch<Place>, timeMs: number, followsGap: boolean): void {
    const fromMs = followsGap || heldToMs === null ? timeMs : heldToMs;
    let span = batch.spans.at(-1);
    if (span === undefined || followsGap) {
      span = { fromMs, toMs: fromMs };
      batch.spans.push(span);
    }
    span.toMs = Math.max(span.toMs, timeMs);
    heldToMs = span.toMs;
  }

  const isFull = (batch: StreamBatch<Place>): boolean => batch.events >= options.batchEvents;

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

/** The changes of a batch; counts come last, when the posts they are of are there. */
export function changesOf(batch: StreamBatch<unknown>): readonly ArchiveChange[] {
  return [...batch.changes, ...batch.counts.values()];
}

/** What a batch holds completely of each collection. */
export function coverageOf(
  { spans }: StreamBatch<unknown>,
  { platform, source, collections }: CoveredBy,
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

/** What a stream holds completely, and the name under which the ledger has it. */
export type CoveredBy = {
  platform: Platform;
  source: string;
  collections: readonly Collection[];
};

const emptyBatch = <Place>(place: Place, nowMs: number): StreamBatch<Place> => ({
  changes: [],
  counts: new Map(),
  events: 0,
  place,
  spans: [],
  firstMs: nowMs,
  firstChangeMs: null,
});

function addCount(counts: Map<string, CountChange>, { uri, metric }: CountedPost): void {
  const key = `${metric} ${uri}`;
  const known = counts.get(key);
  if (known !== undefined) known.by += 1;
  else counts.set(key, { kind: "count", platform: "bluesky", uri, metric, by: 1 });
}
