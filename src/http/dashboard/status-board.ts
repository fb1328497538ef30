import type { Archive, ArchiveStats, PlatformCoverage } from "../../archive/archive.ts";
import type { IngestState, MastodonStreamState } from "../../ingest/ingest-state.ts";
import type { Clock } from "../../lib/clock.ts";
import { isoText } from "../../lib/iso-time.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { NodeView } from "../../remote/gateway/gateway.ts";
import { problem } from "../problems/write-problem.ts";
import { type CachedValue, createCachedValue } from "./cached-value.ts";
import type { NodeStatusResponse, PlatformStatus, StatusResponse } from "./contract/status.ts";
import type { UsageRange } from "./contract/usage.ts";
import { type EmbeddedNode, embeddedStatus, nodeStatus } from "./node-status.ts";
import { platformCoverage } from "./platform-coverage.ts";
import { rangeNames, ranges } from "./ranges.ts";
import {
  countReceivedPosts,
  countsByPart,
  type ReceivedPosts,
  receivedUnitMs,
} from "./received-posts.ts";

/** Identical for all accounts. */
export type StatusBoard = {
  /** Errors: `unavailable` if the archive does not respond in time; those of the archive. */
  status(range: UsageRange): Promise<StatusResponse>;
};

export type StatusSource = {
  archive: Pick<Archive, "coverage" | "stats" | "count">;
  clock: Clock;
  settings: {
    cacheMs: number;
    coverageSlackMs: number;
    maxAgeMs: number;
  };
  streamedPlatforms: readonly Platform[];
  /** Null while the stream is disconnected. */
  liveSinceMs(platform: Platform): number | null;
  isSearchedLive(platform: Platform): Promise<boolean>;
  blueskyStream(): IngestState | null;
  mastodonStream(): MastodonStreamState | null;
  postsPerSecond(platform: Platform): number | null;
  lags(
    fromMs: number,
    widthMs: number,
  ): Promise<readonly { platform: Platform; startMs: number; lagMs: number }[]>;
  freeDiskBytes(): Promise<number | null>;
  waitingJobs(): number;
  embedded(): EmbeddedNode;
  nodes(): readonly NodeView[];
};

const histogramBuckets = 144;
const optionalTimeoutMs = 300;
const requiredTimeoutMs = 5_000;
const countTimeoutMs = 300_000;

type ArchiveState = {
  nowMs: number;
  coverage: readonly PlatformCoverage[];
  stats: ArchiveStats;
  livePlatforms: readonly Platform[];
  freeDiskBytes: number | null;
};

type Lags = Awaited<ReturnType<StatusSource["lags"]>>;
type RangeCaches = { received: CachedValue<ReceivedPosts>; lags: CachedValue<Lags> };

export function createStatusBoard(source: StatusSource): StatusBoard {
  const { archive, clock, settings } = source;
  const { cacheMs } = settings;
  const archiveState = createCachedValue(clock, cacheMs, readArchive);
  const rangeCaches = Object.fromEntries(
    rangeNames.map((range) => [
      range,
      {
        received: createCachedValue(clock, cacheMs, () => oneAtATime(() => countRange(range))),
        lags: createCachedValue(clock, cacheMs, () => {
          const { spanMs, lagBucketMs } = ranges[range];
          return source.lags(clock.now() - spanMs, lagBucketMs);
        }),
      },
    ]),
  ) as Record<UsageRange, RangeCaches>;
  let lastCount: Promise<unknown> = Promise.resolve();

  async function readArchive(): Promise<ArchiveState> {
    const nowMs = clock.now();
    const [coverage, stats, searchedLiveFlags, freeDiskBytes] = await Promise.all([
      archive.coverage(),
      archive.stats(),
      Promise.all(platforms.map(source.isSearchedLive)),
      source.freeDiskBytes(),
    ]);
    const livePlatforms = platforms.filter((_platform, index) => searchedLiveFlags[index]);
    return { nowMs, coverage, stats, livePlatforms, freeDiskBytes };
  }

  function oneAtATime<Value>(count: () => Promise<Value>): Promise<Value> {
    const result = lastCount.then(count, count);
    lastCount = result.catch(() => undefined);
    return result;
  }

  async function countRange(range: UsageRange): Promise<ReceivedPosts> {
    const currentState = await archiveState.get(requiredTimeoutMs);
    if (currentState === null) throw archiveTimeout();
    const platformsWithPosts = currentState.coverage
      .filter(({ hasPosts }) => hasPosts)
      .map(({ platform }) => platform);
    const { fromMs, toMs } = histogramSpan(range, clock.now());
    const timeout = new AbortController();
    const timerAbort = new AbortController();
    clock.sleep(countTimeoutMs, timerAbort.signal).then(
      () => timeout.abort(),
      () => undefined,
    );
    try {
      const span = { fromMs, toMs };
      return await countReceivedPosts(
        source,
        { platforms: platformsWithPosts, ...span },
        timeout.signal,
      );
    } finally {
      timerAbort.abort();
    }
  }

  async function status(range: UsageRange): Promise<StatusResponse> {
    const currentState =
      (await archiveState.get(optionalTimeoutMs)) ?? (await archiveState.get(requiredTimeoutMs));
    if (currentState === null) throw archiveTimeout();
    const [received, lags] = await Promise.all([
      rangeCaches[range].received.get(optionalTimeoutMs).catch(() => null),
      rangeCaches[range].lags.get(optionalTimeoutMs).catch(() => null),
    ]);
    const { nowMs, stats, freeDiskBytes } = currentState;
    const statuses = platforms.map((platform) =>
      platformStatus(platform, range, currentState, received, lags),
    );
    const enabledPlatforms = statuses
      .filter(({ mode }) => mode !== "off")
      .map(({ platform }) => platform);
    return {
      range,
      from: isoText(nowMs - ranges[range].spanMs),
      to: isoText(nowMs),
      platforms: statuses,
      archive: {
        ...archiveStatus(stats),
        max_age_ms: settings.maxAgeMs || null,
        free_disk_bytes: freeDiskBytes,
      },
      nodes: [...embeddedStatus(source.embedded(), enabledPlatforms), ...remoteNodes()],
      queue: { waiting: source.waitingJobs() },
    };
  }

  /** Omits pending nodes, whose names no operator has reviewed. */
  function remoteNodes(): readonly NodeStatusResponse[] {
    return source
      .nodes()
      .filter(({ state }) => state !== "pending")
      .map(nodeStatus);
  }

  function platformStatus(
    platform: Platform,
    range: UsageRange,
    { nowMs, coverage, stats, livePlatforms }: ArchiveState,
    received: ReceivedPosts | null,
    lags: Lags | null,
  ): PlatformStatus {
    const intervals = coverage.find((entry) => entry.platform === platform)?.intervals ?? [];
    const posts = computeSum(
      stats.segments.filter((segment) => segment.platform === platform),
      (segment) => segment.posts,
    );
    const fromMs = nowMs - ranges[range].spanMs;
    const partMs = ranges[range].spanMs / histogramBuckets;
    const span = { fromMs: histogramSpan(range, nowMs).fromMs, partMs, parts: histogramBuckets };
    return {
      platform,
      mode: platformMode(platform, livePlatforms, posts),
      stream: makeStream(platform),
      posts,
      coverage: platformCoverage(intervals, {
        fromMs,
        nowMs,
        slackMs: settings.coverageSlackMs,
        liveSinceMs: source.liveSinceMs(platform),
      }),
      received: received && countsByPart(received.get(platform) ?? new Map(), span),
      lag: (lags ?? [])
        .filter((lag) => lag.platform === platform)
        .map(({ startMs, lagMs }) => ({ at: isoText(startMs), lag_ms: lagMs })),
    };
  }

  function platformMode(
    platform: Platform,
    livePlatforms: readonly Platform[],
    posts: number,
  ): PlatformStatus["mode"] {
    if (source.streamedPlatforms.includes(platform)) return "streamed";
    if (livePlatforms.includes(platform)) return "live";
    return posts > 0 ? "archived" : "off";
  }

  function makeStream(platform: Platform): PlatformStatus["stream"] {
    const state = streamState(platform);
    if (state === null) return null;
    const { status, detail, host, lagMs } = state;
    const posts_per_second = source.postsPerSecond(platform);
    return { status, detail, host, lag_ms: lagMs, posts_per_second };
  }

  function streamState(platform: Platform) {
    if (platform === "bluesky") return source.blueskyStream();
    const mastodon = platform === "mastodon" ? source.mastodonStream() : null;
    // Mastodon events carry no timestamp.
    return mastodon && { ...mastodon, lagMs: null };
  }

  return { status };
}

/** Ends at the end of the current unit. */
function histogramSpan(range: UsageRange, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = Math.floor(nowMs / receivedUnitMs) * receivedUnitMs + receivedUnitMs;
  return { fromMs: toMs - ranges[range].spanMs, toMs };
}

function archiveStatus({
  segments,
  bytes,
  maxBytes,
}: ArchiveStats): Omit<StatusResponse["archive"], "max_age_ms" | "free_disk_bytes"> {
  const startsMs = segments.flatMap(({ fromMs }) => (fromMs === null ? [] : [fromMs]));
  const endsMs = segments.flatMap(({ toMs }) => (toMs === null ? [] : [toMs]));
  return {
    posts: computeSum(segments, ({ posts }) => posts),
    segments: segments.length,
    bytes,
    max_bytes: maxBytes,
    oldest_at: startsMs.length === 0 ? null : isoText(startsMs.reduce((a, b) => Math.min(a, b))),
    newest_at: endsMs.length === 0 ? null : isoText(endsMs.reduce((a, b) => Math.max(a, b))),
    hidden: computeSum(segments, ({ hidden }) => hidden),
  };
}

function computeSum<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}

function archiveTimeout() {
  return problem("unavailable", "timed out reading the archive status", {
    hint: "repeat the request after Retry-After",
  });
}
