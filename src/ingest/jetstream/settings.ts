import { url, urlList } from "../../lib/settings/network-kinds.ts";
import {
  choice,
  count,
  duration,
  type SettingsOf,
  settingDefaults,
  wordsSetting,
} from "../../lib/settings/setting.ts";
import type { StreamCollection } from "../../platforms/bluesky/collections.ts";

export const userAgent = "earshot/0.1";

export const publicJetstreamUrls: readonly string[] = [
  "wss://jetstream1.us-east.bsky.network/subscribe",
  "wss://jetstream2.us-east.bsky.network/subscribe",
  "wss://jetstream1.us-west.bsky.network/subscribe",
  "wss://jetstream2.us-west.bsky.network/subscribe",
];

const followedCollections = [
  "posts",
  "likes",
  "reposts",
  "profiles",
] as const satisfies readonly StreamCollection[];

export const jetstreamSettings = {
  urls: urlList(
    "EARSHOT_JETSTREAM_URLS",
    publicJetstreamUrls,
    ["ws:", "wss:"],
    "Jetstream servers, tried in turn.",
  ),
  followed: wordsSetting(
    "EARSHOT_INGEST_COLLECTIONS",
    followedCollections,
    "Collections that are ingested. Without likes and reposts, the stream is a tenth as large.",
  ),
  compress: choice(
    "EARSHOT_JETSTREAM_COMPRESS",
    "off",
    ["on", "off"],
    "Whether to request a compressed stream: half the bytes, but four times the CPU time per event.",
  ),
  dictionaryUrl: url(
    "EARSHOT_JETSTREAM_DICTIONARY_URL",
    "https://raw.githubusercontent.com/bluesky-social/jetstream/v0.2.0/internal/subscribe/dictionaries/legacy_subscribe.zdict",
    ["https:", "http:"],
    "URL of the dictionary for the compressed stream, which is downloaded once to `jetstream.zdict` in the data folder.",
  ),
  lookbackMs: duration(
    "EARSHOT_INGEST_LOOKBACK",
    0,
    0,
    "How far back the live stream starts when it has no checkpoint.",
  ),
  batchEvents: count(
    "EARSHOT_INGEST_BATCH_EVENTS",
    2_000,
    [1, 100_000],
    "Maximum number of events written together.",
  ),
  batchMs: duration(
    "EARSHOT_INGEST_BATCH_TIME",
    100,
    1,
    "Maximum time that a post waits before its batch is written.",
  ),
  maxWaitingEvents: count(
    "EARSHOT_INGEST_MAX_WAITING_EVENTS",
    10_000,
    [1, 1_000_000],
    "Number of buffered events above which reading from the network pauses.",
  ),
  idleTimeoutMs: duration(
    "EARSHOT_INGEST_IDLE_TIMEOUT",
    30_000,
    1,
    "Time without an event after which the connection is closed.",
  ),
  minBackoffMs: duration(
    "EARSHOT_INGEST_LEAST_BACKOFF",
    250,
    1,
    "First delay before reconnecting; it doubles with each failure.",
  ),
  maxBackoffMs: duration(
    "EARSHOT_INGEST_MOST_BACKOFF",
    30_000,
    1,
    "Maximum delay before reconnecting.",
  ),
};

export const jetstreamLimits = {
  /** Requested again after a reconnection. */
  overlapMs: 5_000,
  /** Maximum age of a batch that has only counts. */
  quietBatchMs: 1_000,
  /** Remembered to detect duplicates, in 32 to 64 bytes each. */
  maxRememberedEvents: 250_000,
  maxFrameBytes: 4 * 1024 ** 2,
  handshakeTimeoutMs: 10_000,
};

export type JetstreamSettings = SettingsOf<typeof jetstreamSettings> &
  typeof jetstreamLimits & { userAgent: string };

export const defaultJetstreamSettings: JetstreamSettings = {
  ...settingDefaults(jetstreamSettings),
  ...jetstreamLimits,
  userAgent,
};
