import { defaultLimits } from "../accounts/limits.ts";
import { jobDefaults } from "../jobs/settings.ts";
import { longestArchiveQuery, longestLiveQuery } from "../query/bounds.ts";
import {
  addressList,
  choice,
  count,
  duration,
  type Setting,
  text,
  urlList,
} from "./setting-kinds.ts";

const dayMs = 86_400_000;

/**
 * Every setting of Earshot: its variable, its default and what it means. The configuration and docs/configuration.md are
 * both made from this table, so a limit that is not here does not exist.
 */
export const settings = {
  data: {
    dir: text("EARSHOT_DATA_DIR", "./.earshot", "a folder", "The folder that holds everything."),
    segmentPosts: count(
      "EARSHOT_SEGMENT_POSTS",
      1_000_000,
      [1, 100_000_000],
      "Posts that one segment of the archive takes before the next one is begun.",
    ),
    readers: count("EARSHOT_READERS", 2, [1, 64], "Threads that read the archive."),
    detectLanguage: choice(
      "EARSHOT_DETECT_LANGUAGE",
      "on",
      ["on", "off"],
      "Whether the language of a post is detected in its text where its source names none.",
    ),
  },
  http: {
    host: text("EARSHOT_HOST", "127.0.0.1", "a host name or address", "Address to listen on."),
    port: count("EARSHOT_PORT", 8080, [0, 65_535], "Port to listen on; 0 takes a free one."),
    trustedProxies: addressList(
      "EARSHOT_TRUSTED_PROXIES",
      "Proxies whose `X-Forwarded-For` tells the caller's address; of others it counts for nothing.",
    ),
    maxBodyBytes: count(
      "EARSHOT_MAX_BODY_BYTES",
      65_536,
      [1_024, 16_777_216],
      "Largest request body.",
    ),
    maxHeldRequests: count(
      "EARSHOT_MAX_HELD_REQUESTS",
      32,
      [0, 10_000],
      "Requests that wait for the end of a job which one key may have open: one more with `?wait=` is answered at once, one more search in one request is refused.",
    ),
    maxReadWaitMs: duration(
      "EARSHOT_MAX_READ_WAIT",
      2_000,
      0,
      "Longest time that a read of one's own job beyond the rate waits for its turn; then it is refused.",
    ),
    stopGraceMs: duration(
      "EARSHOT_STOP_GRACE",
      5_000,
      0,
      "Longest time that a stop waits for open requests and running searches.",
    ),
  },
  limits: {
    requestsPerSecond: count(
      "EARSHOT_REQUESTS_PER_SECOND",
      defaultLimits.requestsPerSecond,
      [1, 1_000_000],
      "Requests that a key may make in any second, unless the key has its own limit.",
    ),
    submissionsPerMinute: count(
      "EARSHOT_SUBMISSIONS_PER_MINUTE",
      defaultLimits.submissionsPerMinute,
      [1, 10_000_000],
      "Searches that a key may submit in any 60 seconds, unless the key has its own limit.",
    ),
    failedKeysPerMinute: count(
      "EARSHOT_FAILED_KEYS_PER_MINUTE",
      defaultLimits.failedKeysPerMinute,
      [1, 1_000_000],
      "Different wrong keys that may come from one address in any 60 seconds before it is refused.",
    ),
  },
  search: {
    liveWindowMs: duration(
      "EARSHOT_LIVE_WINDOW",
      7 * dayMs,
      1_000,
      "How far `searchbyquery` looks back from the submission.",
    ),
    maxLiveQueryLength: count(
      "EARSHOT_MAX_LIVE_QUERY_LENGTH",
      longestLiveQuery,
      [1, 65_536],
      "Longest query of `searchbyquery`, in characters.",
    ),
    maxArchiveQueryLength: count(
      "EARSHOT_MAX_ARCHIVE_QUERY_LENGTH",
      longestArchiveQuery,
      [1, 65_536],
      "Longest query of `searchbyfullarchive`, in characters.",
    ),
  },
  jobs: {
    deadlineMs: duration(
      "EARSHOT_JOB_DEADLINE",
      jobDefaults.deadlineMs,
      1_000,
      "Time that a job has from its submission, all attempts included.",
    ),
    deadlineGraceMs: duration(
      "EARSHOT_JOB_DEADLINE_GRACE",
      jobDefaults.deadlineGraceMs,
      0,
      "How much later a running job may still hand in what it found.",
    ),
    retryDelayMs: duration(
      "EARSHOT_RETRY_DELAY",
      jobDefaults.retryDelayMs,
      1,
      "Pause before the second attempt of a job; doubled before each further one.",
    ),
    maxAttempts: count(
      "EARSHOT_MAX_ATTEMPTS",
      jobDefaults.maxAttempts,
      [1, 100],
      "Attempts that a job has.",
    ),
    leaseMs: duration(
      "EARSHOT_LEASE",
      jobDefaults.leaseMs,
      1_000,
      "Time that a node holds a job before it must renew its lease.",
    ),
    resultRetentionMs: duration(
      "EARSHOT_RESULT_RETENTION",
      jobDefaults.resultRetentionMs,
      1_000,
      "How long a result can be fetched; then the job is `expired`.",
    ),
    retentionMs: duration(
      "EARSHOT_JOB_RETENTION",
      jobDefaults.retentionMs,
      1_000,
      "How long the status of a job can be read; then its uuid is unknown.",
    ),
    maxWaiting: count(
      "EARSHOT_MAX_WAITING_JOBS",
      jobDefaults.maxWaiting,
      [1, 10_000_000],
      "Jobs that may wait for a node; a submission beyond it is refused with 503.",
    ),
    maxRunningPerKey: count(
      "EARSHOT_MAX_RUNNING_PER_KEY",
      jobDefaults.maxRunningPerKey,
      [1, 1_000],
      "Searches of one key that run at the same time.",
    ),
    concurrency: count(
      "EARSHOT_NODE_CONCURRENCY",
      16,
      [0, 1_000],
      "Searches that the node in this process runs at the same time; 0 runs none.",
    ),
  },
  ingest: {
    source: choice(
      "EARSHOT_INGEST",
      "bluesky",
      ["bluesky", "off"],
      "Which live stream fills the archive.",
    ),
    urls: urlList(
      "EARSHOT_JETSTREAM_URLS",
      [
        "wss://jetstream1.us-east.bsky.network/subscribe",
        "wss://jetstream2.us-east.bsky.network/subscribe",
        "wss://jetstream1.us-west.bsky.network/subscribe",
        "wss://jetstream2.us-west.bsky.network/subscribe",
      ],
      ["ws:", "wss:"],
      "Jetstream servers, tried in turn; separated by commas.",
    ),
    lookbackMs: duration(
      "EARSHOT_INGEST_LOOKBACK",
      0,
      0,
      "How far back the very first start of the live stream begins.",
    ),
    overlapMs: duration(
      "EARSHOT_INGEST_OVERLAP",
      5_000,
      0,
      "How far before the last event on disk the stream is resumed.",
    ),
    batchEvents: count(
      "EARSHOT_INGEST_BATCH_EVENTS",
      1_000,
      [1, 100_000],
      "Most events that are written together.",
    ),
    batchMs: duration(
      "EARSHOT_INGEST_BATCH_TIME",
      100,
      1,
      "Longest time that an event with a post waits for others to be written with.",
    ),
    quietBatchMs: duration(
      "EARSHOT_INGEST_QUIET_BATCH_TIME",
      1_000,
      1,
      "The same for events that only move the stream's place.",
    ),
    maxWaitingEvents: count(
      "EARSHOT_INGEST_MAX_WAITING_EVENTS",
      5_000,
      [1, 1_000_000],
      "Events that may wait for the archive before reading pauses.",
    ),
    maxRememberedEvents: count(
      "EARSHOT_INGEST_MAX_REMEMBERED_EVENTS",
      50_000,
      [1, 10_000_000],
      "Events that are remembered to know them again after a cut.",
    ),
    maxFrameBytes: count(
      "EARSHOT_INGEST_MAX_FRAME_BYTES",
      4 * 1024 ** 2,
      [1_024, 1024 ** 3],
      "Largest event of the stream.",
    ),
    handshakeTimeoutMs: duration(
      "EARSHOT_INGEST_HANDSHAKE_TIMEOUT",
      10_000,
      1,
      "Longest time that connecting may take.",
    ),
    idleTimeoutMs: duration(
      "EARSHOT_INGEST_IDLE_TIMEOUT",
      30_000,
      1,
      "Time without an event after which the connection is given up.",
    ),
    leastBackoffMs: duration(
      "EARSHOT_INGEST_LEAST_BACKOFF",
      250,
      1,
      "First pause before connecting again; it doubles with each failure.",
    ),
    mostBackoffMs: duration(
      "EARSHOT_INGEST_MOST_BACKOFF",
      30_000,
      1,
      "Longest pause before connecting again.",
    ),
    coverageSlackMs: duration(
      "EARSHOT_COVERAGE_SLACK",
      10_000,
      0,
      "How far the newest end of the live stream's coverage may lie back and still count as now.",
    ),
  },
  import: {
    maxBytes: count(
      "EARSHOT_IMPORT_MAX_BYTES",
      100 * 1024 ** 3,
      [1_024, 1_000 * 1024 ** 4],
      "Most bytes of one imported file, decompressed.",
    ),
    maxRatio: count(
      "EARSHOT_IMPORT_MAX_RATIO",
      200,
      [1, 1_000_000],
      "Most decompressed bytes for each byte of a compressed file.",
    ),
    maxLineBytes: count(
      "EARSHOT_IMPORT_MAX_LINE_BYTES",
      1024 ** 2,
      [1_024, 1024 ** 3],
      "Longest line of an imported file; a longer one is rejected, the rest goes on.",
    ),
    maxDepth: count(
      "EARSHOT_IMPORT_MAX_DEPTH",
      16,
      [1, 1_000],
      "How deep the JSON of an imported line may nest.",
    ),
  },
  log: {
    level: choice(
      "EARSHOT_LOG_LEVEL",
      "info",
      ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      "What is logged.",
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;

/** All settings in the order of the table. */
export function allSettings(): readonly Setting<unknown>[] {
  return Object.values(settings).flatMap((section) => Object.values<Setting<unknown>>(section));
}
