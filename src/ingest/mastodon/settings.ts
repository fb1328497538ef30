import { urlOrNone } from "../../lib/settings/network-kinds.ts";
import { choice, count, duration } from "../../lib/settings/setting.ts";

export const mastodonStreamSettings = {
  server: urlOrNone(
    "EARSHOT_MASTODON_STREAM",
    ["https:", "http:"],
    "Mastodon server whose public stream is also archived. It requires a user token from that server.",
  ),
  stream: choice(
    "EARSHOT_MASTODON_STREAM_NAME",
    "public",
    ["public", "public:remote", "public:local"],
    "Posts to stream: all public ones that the server sees, those of other servers, or its own.",
  ),
  silenceMs: duration(
    "EARSHOT_MASTODON_STREAM_SILENCE",
    600_000,
    1_000,
    "Time without an event after which the connection is reopened, even if heartbeats arrive.",
  ),
  minBackoffMs: duration(
    "EARSHOT_MASTODON_STREAM_LEAST_BACKOFF",
    1_000,
    1,
    "First delay before reconnecting; it doubles with each failure.",
  ),
  maxBackoffMs: duration(
    "EARSHOT_MASTODON_STREAM_MOST_BACKOFF",
    60_000,
    1,
    "Maximum delay before reconnecting.",
  ),
  requestsPerMinute: count(
    "EARSHOT_MASTODON_STREAM_REQUESTS_PER_MINUTE",
    30,
    [1, 100_000],
    "Requests per minute to read missed posts and compare stored ones. Mastodon allows 300 in five minutes, including searches with the same token.",
  ),
  catchUpStatuses: count(
    "EARSHOT_MASTODON_STREAM_CATCH_UP_POSTS",
    20_000,
    [0, 10_000_000],
    "Maximum number of posts read from the server's public timeline after an interruption of the stream.",
  ),
  recheckRecentMs: duration(
    "EARSHOT_MASTODON_STREAM_RECHECK_RECENT",
    86_400_000,
    0,
    "Maximum age of the posts that are compared with the server first after an interruption.",
  ),
  recheckAgeMs: duration(
    "EARSHOT_MASTODON_STREAM_RECHECK_AGE",
    7 * 86_400_000,
    1_000,
    "Time after which all posts are compared with the server again.",
  ),
};

export type MastodonStreamSettings = {
  server: string;
  stream: MastodonStreamName;
  privateHosts: readonly string[];
  silenceMs: number;
  idleTimeoutMs: number;
  minBackoffMs: number;
  maxBackoffMs: number;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  maxWaitingEvents: number;
  maxFrameBytes: number;
  handshakeTimeoutMs: number;
  fetchTimeoutMs: number;
  maxResponseBytes: number;
  userAgent: string;
  requestsPerMinute: number;
  catchUpStatuses: number;
  recheckRecentMs: number;
  recheckAgeMs: number;
};

export type MastodonStreamName = "public" | "public:remote" | "public:local";
