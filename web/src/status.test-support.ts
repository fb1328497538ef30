import type { PlatformStatus, StatusResponse } from "../../src/http/dashboard/contract/status.ts";
import type { Platform } from "../../src/posts/post.ts";

export const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 10, 21, 10);
export const timeAgo = (ms: number): string => new Date(nowMs - ms).toISOString();

type Stream = NonNullable<PlatformStatus["stream"]>;

export const makeStream = (overrides: Partial<Stream> = {}): Stream => ({
  status: "connected",
  detail: "",
  host: "stream.example",
  lag_ms: 1_400,
  posts_per_second: 41,
  ...overrides,
});

/** A streamed platform without gaps in the last week. */
export const makePlatform = (
  platform: Platform,
  overrides: Partial<PlatformStatus> = {},
): PlatformStatus => ({
  platform,
  mode: "streamed",
  stream: makeStream(),
  posts: 100,
  coverage: {
    held: [{ from: timeAgo(168 * hourMs), to: timeAgo(0), source: "jetstream" }],
    gaps: [],
    complete_since: timeAgo(400 * hourMs),
  },
  received: null,
  lag: [],
  ...overrides,
});

/** A platform searched live, without archived posts. */
export const makeLivePlatform = (platform: Platform): PlatformStatus =>
  makePlatform(platform, {
    mode: "live",
    stream: null,
    posts: 0,
    coverage: { held: [], gaps: [], complete_since: null },
  });

export const coverageGaps = (
  ...spans: readonly [fromMs: number, toMs: number][]
): PlatformStatus["coverage"] => ({
  held: [{ from: timeAgo(168 * hourMs), to: timeAgo(0), source: "jetstream" }],
  gaps: spans.map(([fromMs, toMs]) => ({ from: timeAgo(fromMs), to: timeAgo(toMs) })),
  complete_since: null,
});

export const makeStatus = (...platforms: readonly PlatformStatus[]): StatusResponse => ({
  range: "7d",
  from: timeAgo(168 * hourMs),
  to: timeAgo(0),
  platforms,
  archive: {
    posts: 100,
    segments: 1,
    bytes: 1,
    max_bytes: 2,
    oldest_at: null,
    newest_at: null,
    hidden: 0,
    max_age_ms: null,
    free_disk_bytes: null,
  },
  nodes: [],
  queue: { waiting: 0 },
});
